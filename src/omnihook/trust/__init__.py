"""Trust: what inside a work tree may run, because somebody approved exactly that definition and those bytes."""

from omnihook.trust.approvals import Approval
from omnihook.trust.definitions import definition, identity
from omnihook.trust.pinning import Pinning, pinning
from omnihook.trust.projects import project_key
from omnihook.trust.store import Standing, TrustStore, Verify

__all__ = [
    "Approval",
    "Pinning",
    "Standing",
    "TrustStore",
    "Verify",
    "definition",
    "identity",
    "pinning",
    "project_key",
]

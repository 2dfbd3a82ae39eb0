"""Every program that is known to run others, in one table."""

from omnihook.shell.hosts import Host
from omnihook.shell.hosts_later import LATER
from omnihook.shell.hosts_many import MANY
from omnihook.shell.hosts_pods import PODS
from omnihook.shell.hosts_projects import PROJECTS
from omnihook.shell.hosts_remote import REMOTE
from omnihook.shell.hosts_runners import RUNNERS
from omnihook.shell.hosts_shells import INTERPRETING
from omnihook.shell.hosts_tasks import TASKS
from omnihook.shell.hosts_tools import TOOLS
from omnihook.shell.hosts_wrapping import WRAPPING

HOSTS: dict[str, Host] = {
    **WRAPPING,
    **INTERPRETING,
    **LATER,
    **TOOLS,
    **RUNNERS,
    **REMOTE,
    **PODS,
    **MANY,
    **PROJECTS,
    **TASKS,
}

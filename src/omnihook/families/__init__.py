"""Wire shapes that several agents share."""

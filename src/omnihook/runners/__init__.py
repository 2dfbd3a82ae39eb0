"""How one hook runs: a child process, a function, an HTTP request, a prompt or an MCP tool."""

#!/bin/bash
# validate-command.sh

# Environment variables are available
echo "Tool: $TOOL_NAME"
echo "Input: $TOOL_INPUT"
echo "Session: $SESSION_ID"

# Parse command for Bash tools
if [ "$TOOL_NAME" = "Bash" ]; then
  COMMAND=$(echo "$TOOL_INPUT" | jq -r '.command')

  # Block dangerous commands
  if [[ "$COMMAND" =~ "rm -rf /" ]]; then
    echo "BLOCKED: Dangerous command" >&2
    exit 1
  fi
fi

# Exit 0 to allow, non-zero to block
exit 0

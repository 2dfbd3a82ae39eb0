#!/bin/bash

# Run tests
npm test > /dev/null 2>&1

if [ $? -eq 0 ]; then
  # Tests passed, allow stopping
  echo '{"decision": "allow"}'
else
  # Tests failed, continue execution
  echo "{
    \"decision\": \"block\",
    \"reason\": \"Tests are failing. Please fix the tests before completing.\"
  }"
fi

#!/bin/bash

# Detect environment
if [[ "$PWD" =~ "/production/" ]]; then
  ENV="PRODUCTION"
else
  ENV="DEVELOPMENT"
fi

# Add context to prompt
echo "{
  \"decision\": \"allow\",
  \"additionalContext\": \"You are working in a $ENV environment. Be extra careful with changes.\"
}"

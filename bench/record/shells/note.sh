# What every shell here begins with: a command tells what it shows as truth.js does, in a line of JSON.
note() { # operation, key, kind, text as JSON, further fields
  printf '{"op": "%s", "key": "%s", "t": %s, "kind": "%s", "text": %s%s}\n' \
    "$1" "$2" "$(date +%s%3N)" "$3" "$4" "$5" >> "$REPORT"
}

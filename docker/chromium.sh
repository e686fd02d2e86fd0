# The container is the sandbox: it has no capability, and Docker forbids the namespaces that Chromium's own is made of.
export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox --test-type --no-first-run --no-default-browser-check"
export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --disable-sync --disable-background-networking --disable-component-update"
export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --password-store=basic --disable-gpu --start-maximized"

#!/bin/sh
# Starts a desktop inside the container, and on it the command that is given: a display, a window manager, a viewer.
set -eu
umask 077
folder="$VAIDER_DATA_DIR/desktops"
password="$folder/viewer-password"
mkdir -p "$folder"
# No VNC viewer sends more than eight letters.
[ -s "$password" ] || head -c 256 /dev/urandom | LC_ALL=C tr -dc A-Za-z0-9 | head -c 8 > "$password"

ready="$(mktemp -u)"
mkfifo "$ready"
Xvfb -displayfd 3 -screen 0 "${VAIDER_DISPLAY_SIZE:-1280x720}x24" -dpi 96 -nolisten tcp -noreset 3> "$ready" &
read -r number < "$ready"
rm "$ready"
export DISPLAY=":$number"
# Standard output belongs to the command alone.
openbox --sm-disable >&2 &
# The port is the container's; docker-compose.yml publishes it on loopback only.
x11vnc -display "$DISPLAY" -rfbport "${VIEWER_PORT:-5900}" -passwdfile "$password" \
  -forever -shared -norc -quiet -nobell -noxrecord >&2 &
exec "$@"

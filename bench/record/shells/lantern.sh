PS1='lantern:main$ '
cd "$HOME" || exit
printf 'int line_%s;\n' {1..30} > glass.c
printf '%s\n' 'int pane = 4' 'int frame;' >> glass.c
BOLD='\e[1m' RED='\e[1;31m' MAGENTA='\e[35m' GREEN='\e[32m' PLAIN='\e[0m'
FILES=(oil.c wick.c flame.c brass.c hinge.c glass.c lens.c)
said=0
say() { # text, colour
  printf '%b%s%b\n' "$2" "$1" "$PLAIN"
  note begin "said-$((said += 1))" appeared "\"$1\""
}
compile() { # first and last per cent; a line that counts up in its place
  local part
  for ((part = $1; part <= $2; part += 3)); do
    printf '\r\e[K[%3d%%] compiling %s' "$part" "${FILES[part * 7 / 101]}"; sleep 0.1
  done
}
make() {
  note begin "make-$((runs += 1))" busy null
  note begin "may-make-$runs" appeared '"compiling"' ', "optional": true'
  if ! grep -q 'pane = 4;' glass.c; then
    compile 1 28
    printf '\r\e[K'; say "wick.c:88: warning: unused variable 'soot'" "$MAGENTA"
    # The line that counts stands one lower now: who tells of it a second time is not wrong.
    for kind in busy appeared changed; do note begin "may-lower-$kind" "$kind" '"compiling"' ', "optional": true'; done
    compile 31 79
    note end "make-$runs" busy null
    printf '\r\e[K'; say "glass.c:31: error: expected ';' before 'int'" "$RED"
    note begin may-gone vanished '"compiling"' ', "optional": true'
    sleep 0.6
    say 'make: stopped after 1 error' "$BOLD"
  else
    compile 70 100
    note end "make-$runs" busy null
    note begin may-done changed '"[100%] compiling lens.c"' ', "optional": true'
    sleep 0.7
    printf '\n'; say 'lantern is built, 7 files, 1 warning' "$GREEN"
  fi
  note begin "may-prompt-$runs" appeared '"lantern:main$"' ', "optional": true'
}
sed() { # prints nothing, so only the prompt comes back
  command sed "$@"
  note begin may-prompt-sed appeared '"lantern:main$"' ', "optional": true'
}

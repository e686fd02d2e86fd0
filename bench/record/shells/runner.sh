PS1='~/ferry $ '
GREEN='\e[32m' RED='\e[1;31m' GREY='\e[90m' YELLOW='\e[33m' PLAIN='\e[0m'
said=0
say() { # text, colour, further fields
  printf "%b%s%b\n" "$2" "$1" "$PLAIN"
  note begin "said-$((said += 1))" appeared "\"$1\"" "$3"
}
check() {
  say 'running 7 checks in 2 files' "$GREY"; sleep 0.9
  say 'ok    route_has_two_stops' "$GREEN"; sleep 0.35
  say 'ok    fare_is_rounded_up' "$GREEN"; sleep 0.5
  say 'ok    children_ride_free' "$GREEN"; sleep 0.3
  say 'FAIL  last_boat_leaves_at_2315' "$RED"; sleep 0.6
  say 'ok    dogs_need_a_ticket' "$GREEN"; sleep 0.4
  say 'skip  winter_timetable' "$YELLOW"; sleep 1.1
  say 'ok    gate_closes_early' "$GREEN"; sleep 0.8
  # Three lines at one moment are one event; whoever tells them one by one is not wrong.
  say 'timetable.lua:57: expected 23:15, got 22:45' "$RED"
  say '  56 | local last = boats[#boats]' "$GREY" ', "optional": true'
  say '  57 | expect(last.leaves, at(23, 15))' "$GREY" ', "optional": true'
  sleep 0.45
  say '5 ok, 1 failed, 1 skipped in 5.2 s' "$YELLOW"
  note begin "may-$said" appeared '"~/ferry $"' ', "optional": true'
}
mend() {
  sleep 0.4
  say 'timetable.lua: 1 line rewritten' ''
  note begin "may-$said" appeared '"~/ferry $"' ', "optional": true'
}

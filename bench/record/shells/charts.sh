PS1='pilot> '
survey() {
  printf '%s\n' 'total 4' 'drwxr-x--- soundings' '-rw-r----- berths.csv' '-rw-r----- tides-2031.csv'
  echo '-rwxr-x--- publish.sh'
  note begin survey appeared '"berths.csv"'
  for word in 'total 4' soundings tides-2031.csv publish.sh 'pilot>'; do
    note begin "may-$word" appeared "\"$word\"" ', "optional": true'
  done
}
publish() {
  note begin publish busy null
  note begin may-publish appeared '"Sending charts"' ', "optional": true'
  for part in 0 4 9 15 21 28 34 41 47 52 58 63 70 76 81 88 93 97 100; do
    printf '\rSending charts %3d%%' "$part"; sleep 0.12
  done
  note end publish busy null
  note begin may-published changed '"Sending charts 100%"' ', "optional": true'
  sleep 1
  printf '\nerror: sheet 19 was refused by the printer\n'
  note begin refused appeared '"error: sheet 19 was refused by the printer"'
  note begin may-refused appeared '"pilot>"' ', "optional": true'
}

PS1='harbour$ '
said=0
say() { echo "$1"; note begin "said-$((said += 1))" appeared "\"$1\""; }
forecast() {
  say 'Asking the weather station'; sleep 1
  say 'Wind: 14 knots from the west'; sleep 1.4
  say 'High tide at 17:42'
}
count() { say '61 boats are moored'; }

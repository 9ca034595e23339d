# Prints orders and turnover of $day by country.
set -eu
awk -F , '
  { orders[$3]++; turnover[$3] += $4 }
  END { for (c in orders) printf "%s: %d orders, %.2f\n", c, orders[c], turnover[c] }
' "data/table/$day.csv" | sort

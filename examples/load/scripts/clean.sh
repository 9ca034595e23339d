# Keeps the rows of data/raw/$day.csv that have a number for an amount, and says how many it dropped.
set -eu
mkdir -p data/clean
awk -F , -v to="data/clean/$day.csv" '
  NR == 1 { next }
  $4 ~ /^[0-9.]+$/ { print >to; kept++; next }
  { dropped++ }
  END { print "kept " kept + 0 " rows, dropped " dropped + 0 }
' "data/raw/$day.csv"

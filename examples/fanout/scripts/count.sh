# Stands in for work that takes a while: counts the $kind of $region and writes the figure to data.
set -eu
sleep 1
awk -v name="$region $kind" 'BEGIN { for (i = 1; i <= length(name) * 1000; i++) n += i % 7 == 0; print name ": " n }' \
  >"data/$region-$kind.txt"

# Stands in for a download: writes data/raw/$day.csv. A source that is called `shop` is ready at the second try.
set -eu
mkdir -p data/raw
if [ "${source:-shop}" != shop ]; then
  echo "there is no source called $source" >&2
  exit 1
fi
if [ ! -e "data/raw/$day.asked" ]; then
  : >"data/raw/$day.asked"
  echo "the source is not ready" >&2
  exit 1
fi
rm "data/raw/$day.asked"
awk -v day="$day" 'BEGIN {
  split("de fr jp us", country, " ")
  print "day,order,country,amount"
  for (i = 1; i <= 1000; i++) {
    amount = i % 50 == 0 ? "n/a" : (i * 37) % 500 + 0.5
    print day "," i "," country[i % 4 + 1] "," amount
  }
}' >"data/raw/$day.csv.part"
mv "data/raw/$day.csv.part" "data/raw/$day.csv"
echo "fetched $(wc -l <"data/raw/$day.csv") lines"

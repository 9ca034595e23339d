SELECT
  fruit,
  SUM(pieces) AS pieces
FROM
  sales
GROUP BY
  fruit

-- How many requests ended with which status.
SELECT
  code,
  COUNT(1) AS requests
FROM
  www_access
GROUP BY
  code

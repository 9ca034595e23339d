INSERT INTO sales (fruit, pieces)
VALUES
  ('apple', 3),
  ('pear', 1),
  ('apple', 2)

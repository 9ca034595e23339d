CREATE TABLE IF NOT EXISTS sales (
  fruit text NOT NULL,
  pieces integer NOT NULL
)

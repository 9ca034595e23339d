-- Who may write: programs whose generation (trowel.Generation) is not below lowest. since is the first version of Trowel of
-- that generation, for people. A migration that raises it does nothing else.
CREATE TABLE writer (
  lowest INTEGER NOT NULL,
  since  TEXT    NOT NULL
);
INSERT INTO writer (lowest, since) VALUES (1, '0.1.0');

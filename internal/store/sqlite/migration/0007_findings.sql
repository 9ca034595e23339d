-- What a push has found in a revision and accepted: how many findings, and the first of them as JSON.
CREATE TABLE revision_finding (
  revision_id BIGINT  PRIMARY KEY REFERENCES revision (id),
  total       INTEGER NOT NULL,
  findings    TEXT    NOT NULL
);

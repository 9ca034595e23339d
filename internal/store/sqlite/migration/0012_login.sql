-- Browsers that somebody has signed in with. hash is the SHA-256 of what the browser sends. user_name and proof are of the
-- user of the settings; who signed in with a token has token_id instead.
CREATE TABLE login (
  id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  hash       BLOB NOT NULL UNIQUE,
  user_name  TEXT    NOT NULL,
  proof      BLOB,
  token_id   BIGINT REFERENCES token (id),
  address    TEXT    NOT NULL,
  browser    TEXT    NOT NULL,
  created_at BIGINT NOT NULL,
  used_at    BIGINT NOT NULL,
  ends_at    BIGINT NOT NULL
);
CREATE INDEX login_token ON login (token_id);
CREATE INDEX login_user ON login (user_name);

-- Where in the text of a piece of output the last line begins that looks like an error; -1 if there is none. NULL if nobody
-- has looked.
ALTER TABLE log_chunk ADD COLUMN error_at INTEGER;

-- What people search by: names of attempts and revisions, and times of sessions.
CREATE INDEX attempt_name ON attempt (name, id) WHERE name <> '';
CREATE INDEX revision_name ON revision (name, id);
CREATE INDEX session_time ON session (session_time, id);

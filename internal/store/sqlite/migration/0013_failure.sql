-- Tasks that ended in an error, by attempt and cause: one row for those of one transaction. cause is a hash of operator,
-- kind and message without numbers and the like; the other columns are of the first task. Its last lines are in task_try.
CREATE TABLE failure (
  id         INTEGER PRIMARY KEY,
  at         BIGINT  NOT NULL,
  attempt_id BIGINT  NOT NULL REFERENCES attempt (id),
  project_id BIGINT  NOT NULL REFERENCES project (id),
  workflow   TEXT    NOT NULL,
  cause      BIGINT  NOT NULL,
  operator   TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  message    TEXT    NOT NULL,
  task_id    BIGINT  NOT NULL,
  task_name  TEXT    NOT NULL,
  try        INTEGER NOT NULL,
  tasks      INTEGER NOT NULL
);
CREATE INDEX failure_at ON failure (at, id);
CREATE INDEX failure_cause ON failure (cause, at);
CREATE INDEX failure_attempt ON failure (attempt_id);

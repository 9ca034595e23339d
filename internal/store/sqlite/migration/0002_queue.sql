-- Pools, limits and agents of many servers.

-- Pools bound how many tasks that name them run at the same time. slots -1 is without limit.
CREATE TABLE pool (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id       BIGINT REFERENCES project (id), -- NULL for a pool of the site
  name             TEXT    NOT NULL,
  slots            INTEGER NOT NULL,
  description      TEXT    NOT NULL,
  include_deferred BOOLEAN NOT NULL,
  actor            TEXT    NOT NULL,
  created_at       BIGINT  NOT NULL,
  updated_at       BIGINT  NOT NULL
);
CREATE UNIQUE INDEX pool_name ON pool (coalesce(project_id, 0), name);
INSERT INTO pool (name, slots, description, include_deferred, actor, created_at, updated_at)
VALUES ('default', -1, 'tasks that name no pool', 0, 'trowel', 0, 0);

-- Grows whenever pools change, for those who remember them.
CREATE TABLE pool_version (
  version BIGINT NOT NULL
);
INSERT INTO pool_version (version) VALUES (1);

-- How much of each limit is used: it changes in the transaction that takes or gives back.
CREATE TABLE limit_use (
  name TEXT    PRIMARY KEY,
  used BIGINT  NOT NULL
);

-- needs is JSON of what a task asks for beyond the defaults; holds is JSON of what a running one has
-- taken, by the names in limit_use; losses is how many tries in a row were lost with their agents.
ALTER TABLE task ADD COLUMN needs TEXT;
ALTER TABLE task ADD COLUMN holds TEXT;
ALTER TABLE task ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;

-- Tasks that were ready once, or whose values are evaluated, so that those for which somebody has to do
-- something are among them. It changes once in a task's life: an index by state would be written with
-- every move, and would keep PostgreSQL from writing a row beside its old one.
ALTER TABLE task ADD COLUMN begun BOOLEAN NOT NULL DEFAULT 0;
UPDATE task SET begun = 1 WHERE state BETWEEN 1 AND 5 OR (state = 0 AND wait_reason IS NOT NULL);
CREATE INDEX task_live ON task (attempt_id, id) WHERE begun;
DROP INDEX task_running;

-- The versions of attempts that have not ended: each transaction that moves tasks of an attempt raises its version
-- by one, and its row is the lock of the attempt. In attempt, which has nine indexes, is the last version.
CREATE TABLE attempt_version (
  attempt_id INTEGER PRIMARY KEY,
  version    BIGINT NOT NULL
);
INSERT INTO attempt_version (attempt_id, version) SELECT id, version FROM attempt WHERE finished_at IS NULL;

-- Attempts with output that is in no blob yet. An index over their pieces would be written with each of these.
CREATE TABLE log_unpacked (
  attempt_id INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE
);
INSERT INTO log_unpacked (attempt_id) SELECT DISTINCT attempt_id FROM log_chunk WHERE data IS NOT NULL;
DROP INDEX log_chunk_unpacked;

-- Why an attempt has not begun: the limit of its workflow, or a pause; NULL once it is admitted.
ALTER TABLE attempt ADD COLUMN wait_reason TEXT;
DROP INDEX attempt_active;
CREATE INDEX attempt_active ON attempt (project_id, workflow, wait_reason) WHERE finished_at IS NULL;
CREATE INDEX attempt_waiting ON attempt (project_id, workflow) WHERE wait_reason IS NOT NULL AND finished_at IS NULL;

-- Workflows of which nothing new begins.
CREATE TABLE workflow_pause (
  project_id BIGINT NOT NULL REFERENCES project (id),
  workflow   TEXT   NOT NULL,
  at         BIGINT NOT NULL,
  actor      TEXT   NOT NULL,
  note       TEXT   NOT NULL,
  PRIMARY KEY (project_id, workflow)
);

-- queues and labels are JSON lists; server_id is the server that gives a remote agent its tasks.
ALTER TABLE agent ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE agent ADD COLUMN queues TEXT;
ALTER TABLE agent ADD COLUMN labels TEXT;
ALTER TABLE agent ADD COLUMN is_remote BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN server_id TEXT NOT NULL DEFAULT '';
ALTER TABLE agent ADD COLUMN token_id BIGINT;
ALTER TABLE agent ADD COLUMN drained_at BIGINT;
ALTER TABLE agent ADD COLUMN rest_reason TEXT NOT NULL DEFAULT '';

-- What people and servers did to anything but the states of attempts and tasks, which is in audit. Rows
-- are only added.
CREATE TABLE audit_record (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  at          BIGINT NOT NULL,
  actor_kind  TEXT   NOT NULL,
  actor       TEXT   NOT NULL,
  source      TEXT   NOT NULL,
  action      TEXT   NOT NULL,
  object_kind TEXT   NOT NULL,
  object_id   TEXT   NOT NULL,
  object      TEXT   NOT NULL,
  project_id  BIGINT,
  workflow    TEXT,
  attempt_id  BIGINT,
  before      TEXT,
  after       TEXT,
  note        TEXT
);
CREATE INDEX audit_record_at ON audit_record (at);
CREATE INDEX audit_record_project ON audit_record (project_id, id);
CREATE INDEX audit_record_attempt ON audit_record (attempt_id, id) WHERE attempt_id IS NOT NULL;

-- How much of pools was used and wanted: sums and maxima over the samples of five minutes, for a day. The row of
-- pool 0 says how many samples there are and when the last one was taken; pools that were idle have none.
CREATE TABLE pool_history (
  pool_id      BIGINT  NOT NULL,
  at           BIGINT  NOT NULL,
  samples      INTEGER NOT NULL,
  sampled_at   BIGINT  NOT NULL,
  slots        INTEGER NOT NULL,
  used         BIGINT  NOT NULL,
  most_used    INTEGER NOT NULL,
  waiting      BIGINT  NOT NULL,
  most_waiting INTEGER NOT NULL,
  PRIMARY KEY (pool_id, at)
) WITHOUT ROWID;

-- How long tasks of queues had been ready when they went to agents: what one server saw in some seconds, as a JSON list of
-- [class, count], for minutes.
CREATE TABLE hand_off (
  at     BIGINT NOT NULL,
  queue  TEXT   NOT NULL,
  counts TEXT   NOT NULL
);
CREATE INDEX hand_off_at ON hand_off (at);

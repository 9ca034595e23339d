-- The first schema. Instants are microseconds UTC. Codes of states and flags are those of package
-- trowel and never change.

CREATE TABLE project (
  id         INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL UNIQUE,
  created_at BIGINT  NOT NULL
);

CREATE TABLE revision (
  id         INTEGER PRIMARY KEY,
  project_id BIGINT  NOT NULL REFERENCES project (id),
  name       TEXT    NOT NULL,
  params     TEXT,
  created_at BIGINT  NOT NULL,
  UNIQUE (project_id, name)
);

CREATE TABLE workflow (
  id          INTEGER PRIMARY KEY,
  revision_id BIGINT  NOT NULL REFERENCES revision (id),
  name        TEXT    NOT NULL,
  zone        TEXT    NOT NULL,
  definition  TEXT,
  UNIQUE (revision_id, name)
);

-- A session belongs to the name of a workflow, not to a revision. Its uniqueness is this constraint.
CREATE TABLE session (
  id           INTEGER PRIMARY KEY,
  project_id   BIGINT  NOT NULL REFERENCES project (id),
  workflow     TEXT    NOT NULL,
  session_time BIGINT  NOT NULL,
  uuid         TEXT    NOT NULL,
  UNIQUE (project_id, workflow, session_time)
);

CREATE TABLE attempt (
  id          INTEGER  PRIMARY KEY,
  session_id  BIGINT   NOT NULL REFERENCES session (id),
  name        TEXT     NOT NULL,
  number      INTEGER  NOT NULL,
  workflow_id BIGINT   NOT NULL REFERENCES workflow (id),
  zone        TEXT     NOT NULL,
  params      TEXT,
  flags       SMALLINT NOT NULL,
  cause       TEXT     NOT NULL,
  actor       TEXT     NOT NULL,
  version     BIGINT   NOT NULL,
  created_at  BIGINT   NOT NULL,
  finished_at BIGINT,
  UNIQUE (session_id, name),
  UNIQUE (session_id, number)
);
CREATE INDEX attempt_workflow ON attempt (workflow_id);
CREATE INDEX attempt_running ON attempt (id) WHERE finished_at IS NULL;

-- Tasks of attempts that have not ended. The tasks of one attempt are written and deleted together,
-- so parent_id is not declared as a reference: checking it for each row would cost more than
-- writing it.
CREATE TABLE task (
  id               INTEGER  PRIMARY KEY,
  attempt_id       BIGINT   NOT NULL REFERENCES attempt (id),
  parent_id        BIGINT,
  full_name        TEXT     NOT NULL,
  is_group         BOOLEAN  NOT NULL,
  local_config     TEXT,
  export_config    TEXT,
  upstreams        TEXT,
  resuming_task_id BIGINT,
  state            SMALLINT NOT NULL CHECK (state BETWEEN 0 AND 12),
  flags            SMALLINT NOT NULL,
  round            INTEGER  NOT NULL DEFAULT 0,
  parent_round     INTEGER  NOT NULL,
  try              INTEGER  NOT NULL,
  retry_count      INTEGER  NOT NULL DEFAULT 0,
  retry_at         BIGINT,
  wait_reason      TEXT,
  state_params     TEXT,
  subtask_config   TEXT,
  export_params    TEXT,
  reset_keys       TEXT,
  store_params     TEXT,
  error            TEXT,
  ready_at         BIGINT,
  claimed_at       BIGINT,
  started_at       BIGINT,
  updated_at       BIGINT   NOT NULL,
  agent_id         TEXT,
  version          BIGINT   NOT NULL
);
CREATE INDEX task_attempt ON task (attempt_id);
CREATE INDEX task_due ON task (retry_at) WHERE retry_at IS NOT NULL;

-- All tasks of an ended attempt, as JSON in the order of their ids, some hundreds in each part.
CREATE TABLE task_archive (
  attempt_id BIGINT  NOT NULL REFERENCES attempt (id),
  part       INTEGER NOT NULL,
  tasks      TEXT    NOT NULL,
  created_at BIGINT  NOT NULL,
  PRIMARY KEY (attempt_id, part)
);

-- One row per ended execution of a task: how long it waited and ran, how it ended, and the last
-- lines that a failed one printed. It outlives the task.
CREATE TABLE task_try (
  attempt_id BIGINT  NOT NULL REFERENCES attempt (id),
  task_id    BIGINT  NOT NULL,
  number     INTEGER NOT NULL,
  full_name  TEXT    NOT NULL,
  agent_id   TEXT,
  ready_at   BIGINT,
  claimed_at BIGINT,
  started_at BIGINT,
  ended_at   BIGINT  NOT NULL,
  exit_kind  TEXT    NOT NULL,
  last_lines TEXT,
  PRIMARY KEY (attempt_id, task_id, number)
) WITHOUT ROWID;

-- Every change of a state, in the transaction that made it: one row for each attempt that a
-- transaction changed, with a JSON list of [task, try, from, to, cause, actor]. batch is a random
-- number of the transaction. Rows are only added.
CREATE TABLE audit (
  id         INTEGER PRIMARY KEY,
  at         BIGINT  NOT NULL,
  attempt_id BIGINT  NOT NULL REFERENCES attempt (id),
  batch      BIGINT  NOT NULL,
  entries    TEXT    NOT NULL
);
CREATE INDEX audit_attempt ON audit (attempt_id);

-- The next id of nouns whose ids are taken out in blocks.
CREATE TABLE id_block (
  noun    TEXT   PRIMARY KEY,
  next_id BIGINT NOT NULL
);

-- The first schema. Instants are microseconds UTC. Codes of states and flags are those of package
-- trowel and never change.

-- A deleted project keeps its row and its name, which another one may then have.
CREATE TABLE project (
  id          INTEGER PRIMARY KEY,
  name        TEXT    NOT NULL,
  revision_id BIGINT, -- the newest one
  created_at  BIGINT  NOT NULL,
  deleted_at  BIGINT
);
CREATE UNIQUE INDEX project_name ON project (name) WHERE deleted_at IS NULL;

CREATE TABLE revision (
  id            INTEGER PRIMARY KEY,
  project_id    BIGINT  NOT NULL REFERENCES project (id),
  name          TEXT    NOT NULL,
  params        TEXT,
  archive_type  TEXT    NOT NULL,
  archive_key   TEXT,
  archive_md5   BLOB,
  archive_bytes BIGINT  NOT NULL,
  user_info     TEXT,
  actor         TEXT    NOT NULL,
  created_at    BIGINT  NOT NULL,
  UNIQUE (project_id, name)
);
CREATE INDEX revision_project ON revision (project_id, id);

-- Definitions are shared by revisions that did not change them. digest is the beginning of a hash of
-- zone and definition.
CREATE TABLE workflow_config (
  id         INTEGER PRIMARY KEY,
  project_id BIGINT  NOT NULL REFERENCES project (id),
  digest     BIGINT  NOT NULL,
  zone       TEXT    NOT NULL,
  definition TEXT
);
CREATE INDEX workflow_config_digest ON workflow_config (project_id, digest);

CREATE TABLE workflow (
  id          INTEGER PRIMARY KEY,
  revision_id BIGINT  NOT NULL REFERENCES revision (id),
  name        TEXT    NOT NULL,
  config_id   BIGINT  NOT NULL REFERENCES workflow_config (id),
  UNIQUE (revision_id, name)
);
CREATE INDEX workflow_config_id ON workflow (config_id);

-- One row per workflow of the newest revision that has a schedule.
CREATE TABLE schedule (
  id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  project_id      BIGINT  NOT NULL REFERENCES project (id),
  workflow        TEXT    NOT NULL,
  workflow_id     BIGINT  NOT NULL REFERENCES workflow (id),
  next_run_at     BIGINT  NOT NULL,
  next_session_at BIGINT  NOT NULL,
  last_session_at BIGINT,
  created_at      BIGINT  NOT NULL,
  updated_at      BIGINT  NOT NULL,
  disabled_at     BIGINT,
  UNIQUE (project_id, workflow)
);
CREATE INDEX schedule_workflow ON schedule (workflow_id);
CREATE INDEX schedule_due ON schedule (next_run_at) WHERE disabled_at IS NULL;

-- What became of each session of a schedule. It outlives the schedule.
CREATE TABLE schedule_decision (
  id          INTEGER PRIMARY KEY,
  at          BIGINT  NOT NULL,
  schedule_id BIGINT  NOT NULL,
  project_id  BIGINT  NOT NULL REFERENCES project (id),
  workflow    TEXT    NOT NULL,
  session_at  BIGINT  NOT NULL,
  run_at      BIGINT  NOT NULL,
  what        TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  attempt_id  BIGINT
);
CREATE INDEX schedule_decision_workflow ON schedule_decision (project_id, workflow, id);

-- A session belongs to the name of a workflow, not to a revision. Its uniqueness is this constraint.
CREATE TABLE session (
  id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  project_id      BIGINT  NOT NULL REFERENCES project (id),
  workflow        TEXT    NOT NULL,
  session_time    BIGINT  NOT NULL,
  uuid            TEXT    NOT NULL,
  last_attempt_id BIGINT,
  UNIQUE (project_id, workflow, session_time)
);
CREATE INDEX session_project ON session (project_id, id);
CREATE INDEX session_workflow ON session (project_id, workflow, id);

CREATE TABLE attempt (
  id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  session_id  BIGINT   NOT NULL REFERENCES session (id),
  project_id  BIGINT   NOT NULL REFERENCES project (id),
  workflow    TEXT     NOT NULL,
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
CREATE INDEX attempt_project ON attempt (project_id, id);
CREATE INDEX attempt_workflow_name ON attempt (project_id, workflow, id);
CREATE INDEX attempt_running ON attempt (id) WHERE finished_at IS NULL;
CREATE INDEX attempt_active ON attempt (project_id, workflow) WHERE finished_at IS NULL;

-- Attempts of a backfill that wait for the session before them.
CREATE TABLE delayed_attempt (
  attempt_id  BIGINT PRIMARY KEY REFERENCES attempt (id),
  depends_on  BIGINT REFERENCES session (id),
  next_run_at BIGINT NOT NULL
);
CREATE INDEX delayed_attempt_session ON delayed_attempt (depends_on);

-- SLA of attempts; the row goes when it has fired.
CREATE TABLE monitor (
  attempt_id BIGINT PRIMARY KEY REFERENCES attempt (id),
  due_at     BIGINT NOT NULL,
  config     TEXT
);

-- Tasks of an earlier attempt whose success counts in this one when they are generated anew.
CREATE TABLE resumed_task (
  attempt_id BIGINT NOT NULL REFERENCES attempt (id),
  full_name  TEXT   NOT NULL,
  task       TEXT   NOT NULL,
  PRIMARY KEY (attempt_id, full_name)
);

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
CREATE INDEX task_running ON task (agent_id) WHERE state = 4;

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

-- The output of tasks. data is a gzip member, or NULL when it stands in a blob.
CREATE TABLE log_chunk (
  attempt_id  BIGINT  NOT NULL REFERENCES attempt (id),
  file        TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  first_line  BIGINT  NOT NULL,
  line_count  BIGINT  NOT NULL,
  text_offset BIGINT  NOT NULL,
  text_bytes  BIGINT  NOT NULL,
  data_bytes  BIGINT  NOT NULL,
  data        BLOB,
  blob_key    TEXT,
  blob_offset BIGINT,
  PRIMARY KEY (attempt_id, file, seq)
) WITHOUT ROWID;
CREATE INDEX log_chunk_unpacked ON log_chunk (attempt_id) WHERE data IS NOT NULL;

-- Blobs that are kept in the database: archives, and what else has no other place.
CREATE TABLE blob_part (
  key  TEXT    NOT NULL,
  part INTEGER NOT NULL,
  data BLOB    NOT NULL,
  PRIMARY KEY (key, part)
);

CREATE TABLE secret (
  project_id BIGINT NOT NULL REFERENCES project (id),
  scope      TEXT   NOT NULL,
  key        TEXT   NOT NULL,
  engine     TEXT   NOT NULL,
  value      TEXT   NOT NULL,
  actor      TEXT   NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, scope, key)
);

CREATE TABLE token (
  id           INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
  name         TEXT    NOT NULL,
  hash         BLOB    NOT NULL UNIQUE,
  role         TEXT    NOT NULL,
  project_id   BIGINT  REFERENCES project (id),
  actor        TEXT    NOT NULL,
  created_at   BIGINT  NOT NULL,
  last_used_at BIGINT,
  expires_at   BIGINT,
  revoked_at   BIGINT
);
CREATE INDEX token_project ON token (project_id);

-- Processes that run tries, and until when their tries are their own.
CREATE TABLE agent (
  id         TEXT    PRIMARY KEY,
  name       TEXT    NOT NULL,
  version    TEXT    NOT NULL,
  slots      INTEGER NOT NULL,
  started_at BIGINT  NOT NULL,
  seen_at    BIGINT  NOT NULL,
  lease_ends BIGINT  NOT NULL
);

-- What param_set> keeps.
CREATE TABLE param_value (
  key        TEXT   PRIMARY KEY,
  value      TEXT   NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX param_value_updated ON param_value (updated_at);

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

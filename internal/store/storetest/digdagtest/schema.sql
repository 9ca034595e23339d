-- The tables of Digdag 0.10 as chapter 6 of the server specification describes them, without the
-- indexes that only make its own queries fast.
CREATE TABLE schema_migrations (name text NOT NULL, created_at timestamptz NOT NULL);

CREATE TABLE projects (
  id serial PRIMARY KEY, site_id int NOT NULL, name text, created_at timestamptz NOT NULL, deleted_at timestamptz, deleted_name text);
CREATE UNIQUE INDEX projects_on_site_id_and_name ON projects (site_id, name);

CREATE TABLE revisions (
  id serial PRIMARY KEY, project_id int NOT NULL REFERENCES projects (id), name text NOT NULL, default_params text, archive_type text NOT NULL,
  archive_path text, archive_md5 bytea, created_at timestamptz NOT NULL, user_info text);
CREATE UNIQUE INDEX revisions_on_project_id_and_name ON revisions (project_id, name);

CREATE TABLE revision_archives (id serial PRIMARY KEY REFERENCES revisions (id), archive_data bytea NOT NULL);

CREATE TABLE workflow_configs (
  id serial PRIMARY KEY, project_id int NOT NULL REFERENCES projects (id), config_digest bigint NOT NULL, timezone text NOT NULL, config text NOT NULL);

CREATE TABLE workflow_definitions (
  id bigserial PRIMARY KEY, config_id int NOT NULL REFERENCES workflow_configs (id), revision_id int NOT NULL REFERENCES revisions (id),
  name text NOT NULL);
CREATE UNIQUE INDEX workflow_definitions_on_revision_id_and_name ON workflow_definitions (revision_id, name);

CREATE TABLE schedules (
  id serial PRIMARY KEY, project_id int NOT NULL REFERENCES projects (id),
  workflow_definition_id bigint NOT NULL UNIQUE REFERENCES workflow_definitions (id), next_run_time bigint NOT NULL,
  next_schedule_time bigint NOT NULL, last_session_time bigint, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
  disabled_at timestamptz);

CREATE TABLE project_metadata (
  id serial PRIMARY KEY, site_id int NOT NULL, project_id int NOT NULL REFERENCES projects (id), key text NOT NULL, value text NOT NULL,
  created_at timestamptz NOT NULL);

CREATE TABLE sessions (
  id bigserial PRIMARY KEY, project_id int NOT NULL REFERENCES projects (id), workflow_name text NOT NULL, session_time bigint NOT NULL,
  session_uuid uuid NOT NULL DEFAULT gen_random_uuid(), last_attempt_id bigint, last_attempt_created_at timestamptz);
CREATE UNIQUE INDEX sessions_on_project_id_and_workflow_name_and_session_time ON sessions (project_id, workflow_name, session_time);

CREATE TABLE session_attempts (
  id bigserial PRIMARY KEY, session_id bigint NOT NULL REFERENCES sessions (id), site_id int NOT NULL, project_id int NOT NULL,
  attempt_name text NOT NULL, workflow_definition_id bigint REFERENCES workflow_definitions (id), state_flags smallint NOT NULL,
  timezone text NOT NULL, params text, created_at timestamptz NOT NULL, finished_at timestamptz, index int NOT NULL);
CREATE UNIQUE INDEX session_attempts_on_session_id_and_attempt_name ON session_attempts (session_id, attempt_name);
CREATE UNIQUE INDEX session_attempts_on_session_id_and_index ON session_attempts (session_id, index DESC);

CREATE TABLE delayed_session_attempts (
  id bigint PRIMARY KEY REFERENCES session_attempts (id), dependent_session_id bigint, next_run_time bigint NOT NULL, updated_at timestamptz NOT NULL);

CREATE TABLE session_monitors (
  id bigserial PRIMARY KEY, attempt_id bigint NOT NULL, next_run_time bigint NOT NULL, type text NOT NULL, config text,
  created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL);

CREATE TABLE task_archives (id bigint PRIMARY KEY REFERENCES session_attempts (id), tasks text NOT NULL, created_at timestamptz NOT NULL);

CREATE TABLE secrets (
  id bigserial PRIMARY KEY, site_id bigint NOT NULL, project_id bigint NOT NULL REFERENCES projects (id), scope text NOT NULL,
  engine text NOT NULL, key text NOT NULL, value text NOT NULL, updated_at timestamptz NOT NULL);
CREATE UNIQUE INDEX secrets_unique_on_site_id_and_project_id_and_scope_and_key ON secrets (site_id, project_id, scope, key);

CREATE TABLE tasks (
  id bigserial PRIMARY KEY, attempt_id bigint NOT NULL REFERENCES session_attempts (id), parent_id bigint REFERENCES tasks (id),
  task_type smallint NOT NULL, state smallint NOT NULL, state_flags smallint NOT NULL, updated_at timestamptz NOT NULL, retry_at timestamptz,
  state_params text, retry_count int DEFAULT 0, started_at timestamptz);

CREATE TABLE queued_task_locks (
  id bigserial PRIMARY KEY, site_id int, queue_id int, priority int NOT NULL, retry_count int NOT NULL DEFAULT 0, lock_expire_time bigint,
  lock_agent_id text);

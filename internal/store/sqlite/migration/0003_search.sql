-- Searches of attempts by status, project, workflow and time: each reads a page of these, in their order.
CREATE INDEX attempt_flags ON attempt (flags, created_at, id);
CREATE INDEX attempt_project_flags ON attempt (project_id, flags, created_at, id);
CREATE INDEX attempt_workflow_flags ON attempt (project_id, workflow, flags, created_at, id);

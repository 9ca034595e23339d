-- Whether every secret is stored in the form that is bound to its project and key: other forms are neither written
-- nor read any more. It is so from the beginning where there was nothing yet.
CREATE TABLE secret_form (
  bound BOOLEAN NOT NULL
);
INSERT INTO secret_form (bound) SELECT NOT EXISTS (SELECT 1 FROM project);

-- The places of a task's own parameters that are not shown, as secrets stand there; one in a line.
ALTER TABLE task ADD COLUMN masked TEXT;

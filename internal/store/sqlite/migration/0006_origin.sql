-- Where tasks are written.

-- file:line:column of the body, or JSON that has it under "@" beside the places of bodies inside of which tasks are made later.
-- NULL of what was pushed or begun before. Revisions share a configuration whose file did not change at all.
ALTER TABLE workflow_config ADD COLUMN origin TEXT;
ALTER TABLE task ADD COLUMN origin TEXT;

-- The limits of commands that an agent keeps, as JSON; NULL for an agent that keeps none.
ALTER TABLE agent ADD COLUMN limits TEXT;

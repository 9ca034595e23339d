-- What a try tells about itself besides its end: links as JSON, and what its commands have used, in bytes and microseconds of
-- processor time. Null for nothing.
ALTER TABLE task_try ADD COLUMN links TEXT;
ALTER TABLE task_try ADD COLUMN peak_memory BIGINT;
ALTER TABLE task_try ADD COLUMN cpu_time BIGINT;
ALTER TABLE task_try ADD COLUMN bytes_written BIGINT;

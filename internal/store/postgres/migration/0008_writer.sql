-- Who may write: programs whose generation (trowel.Generation) is not below lowest. since is the first version of Trowel of
-- that generation, for people. A migration that raises it does nothing else: whoever claims waits for it with rows locked.
CREATE TABLE writer (
  lowest INTEGER NOT NULL,
  since  TEXT    NOT NULL
);
INSERT INTO writer (lowest, since) VALUES (1, '0.1.0');

-- Keeps pools, and who may write, as they are until the end of the transaction, as share_limits did with pools, which
-- earlier versions call. The lock comes before the look.
CREATE FUNCTION share_claims(OUT version BIGINT, OUT lowest INTEGER, OUT since TEXT) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1953656695, hashtext(current_schema()));
  SELECT p.version, w.lowest, w.since INTO share_claims.version, share_claims.lowest, share_claims.since FROM pool_version p, writer w;
END
$$;

-- Whoever has begun to claim comes to an end before the change; whoever begins later waits for it and sees it. With the
-- commit all servers are told.
CREATE FUNCTION raise_writer() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1953656695, hashtext(TG_TABLE_SCHEMA));
  PERFORM pg_notify(TG_TABLE_SCHEMA, 'writer writers');
  RETURN NEW;
END
$$;
CREATE TRIGGER writer_raised BEFORE UPDATE ON writer FOR EACH ROW EXECUTE FUNCTION raise_writer();

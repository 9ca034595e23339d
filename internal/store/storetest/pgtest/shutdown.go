package pgtest

import "context"

// Shutdown stops the server as its operators do: it ends all connections and writes everything to disk. Start starts
// it again.
func (s *Server) Shutdown(ctx context.Context) error {
	return run(s.command(ctx, "pg_ctl", "-D", s.data(), "-m", "fast", "-w", "stop"))
}

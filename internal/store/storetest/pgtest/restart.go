package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Files are written into the folder of the database, by name: settings (postgresql.auto.conf), who may connect (pg_hba.conf), a
// certificate (server.crt) and its key (server.key).
type Files map[string]string

// Restart stops the server in order, writes files and starts it again.
func (s *Server) Restart(ctx context.Context, files Files) error {
	if err := s.Shutdown(ctx); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		if os.Geteuid() == 0 {
			if err := run(exec.CommandContext(ctx, "chown", "postgres", path)); err != nil {
				return fmt.Errorf("give a file to the server: %w", err)
			}
		}
	}
	return s.Start(ctx)
}

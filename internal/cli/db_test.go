package cli

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/trowtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// fillDatabase makes a server's database below a folder, with attempts of three days that have ended.
func fillDatabase(t *testing.T, dir string) {
	t.Helper()
	trowtest.UpdateFile(t, filepath.Join(dir, "trowel.db"), func(tx trowel.Tx) error {
		from := time.Date(2023, 11, 1, 0, 0, 0, 0, time.UTC)
		p, r, w := &trowel.Project{Name: "p", CreatedAt: from}, &trowel.Revision{Name: "r", CreatedAt: from}, &trowel.Workflow{Name: "w", Zone: "UTC"}
		r.Archive.Type = "none"
		if err := tx.InsertRevision(t.Context(), p, r, []*trowel.Workflow{w}); err != nil {
			return err
		}
		for _, day := range []int{0, 1, 55} {
			at := from.AddDate(0, 0, day)
			a := &trowel.Attempt{WorkflowID: w.ID, Zone: "UTC", Cause: "run", CreatedAt: at}
			if err := tx.InsertAttempt(t.Context(), &trowel.Session{ProjectID: p.ID, Workflow: "w", Time: at, UUID: at.String()}, a); err != nil {
				return err
			}
			a.Flags, a.FinishedAt = trowel.AttemptDone, at
			if err := tx.UpdateAttempts(t.Context(), a); err != nil {
				return err
			}
		}
		return nil
	})
}

// db clean deletes what is older than its option or the setting says, and reports what it was.
func TestDBClean(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	fillDatabase(t, c.Dir)
	c.Write("never.properties", "database.type=sqlite\ndatabase.path=.\n")
	c.Write("server.properties", "database.type=sqlite\ndatabase.path=.\nretention.attempts=30d\n")
	c.Write("memory.properties", "retention.attempts=30d\n")
	for _, row := range []struct {
		args, stdout, stderr string
		exit                 int
	}{
		{args: "db tidy -o .", exit: 1, stderr: "error: Invalid command"},
		{args: "db clean", exit: 1, stderr: "error: --database, or --config option is required"},
		{args: "db clean -o .", exit: 1, stderr: "error: --older-than option is required"},
		{args: "db clean -c never.properties", exit: 1, stderr: "error: --older-than option is required"},
		{args: "db clean -o . --older-than never", exit: 1, stderr: "error: --older-than must be a length of time, not \"never\""},
		{args: "db clean -o . --older-than 0s", exit: 1, stderr: "error: --older-than must be a length of time, not \"0s\""},
		{args: "db clean -o none --older-than 1d", exit: 1, stderr: "error: cannot use the database at "},
		{args: "db clean -c memory.properties", exit: 1, stderr: "error: a database in memory is gone with its server"},
		{args: "db clean -o . --older-than 90d", stdout: "Nothing was deleted.\n"},
		{args: "db clean -o . --older-than 90d -d", stdout: "Nothing would be deleted.\n"},
		{args: "db clean -c server.properties --dry-run", stdout: "Would delete 2 attempts, and what only these refer to.\n"},
		{args: "db clean -o . --older-than 60d", stdout: "Deleted 2 attempts, 2 sessions.\n"},
		{args: "db clean -c server.properties", stdout: "Nothing was deleted.\n"},
		{args: "db clean -o . --older-than 1d", stdout: "Nothing was deleted.\n"}, // the newest session stays
	} {
		got := c.Run(strings.Fields(row.args)...)
		if got.Exit != row.exit || got.Stdout != row.stdout || !strings.Contains(got.Stderr, row.stderr) {
			t.Errorf("%s = %d, %q, %q, want %d, %q, %q", row.args, got.Exit, got.Stdout, got.Stderr, row.exit, row.stdout, row.stderr)
		}
	}
}

// The logs of a deleted attempt and the archive of an unused revision are deleted too.
func TestDBCleanFiles(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	fillDatabase(t, c.Dir)
	folder := filepath.Join(c.Dir, "files")
	c.Write("server.properties", "database.type=sqlite\ndatabase.path=.\nretention.attempts=30d\n"+
		"log-server.type=file\nlog-server.file.path=files\narchive.type=file\narchive.file.path=files\n")
	blobs, err := file.New(folder, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"logs/1.gz", "old.tar.gz", "kept.tar.gz"} {
		if err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	trowtest.UpdateFile(t, filepath.Join(c.Dir, "trowel.db"), func(tx trowel.Tx) error {
		chunk := trowel.LogChunk{AttemptID: 1, File: "+w@1.log.gz", TextBytes: 1, DataBytes: 1, Data: []byte("x")}
		moved := chunk
		moved.Data, moved.BlobKey = nil, "logs/1.gz"
		err := errors.Join(tx.InsertLogChunks(t.Context(), []trowel.LogChunk{chunk}), tx.MoveLogChunks(t.Context(), []trowel.LogChunk{moved}))
		for _, key := range []string{"old.tar.gz", "kept.tar.gz"} {
			r := &trowel.Revision{Name: key, CreatedAt: time.Unix(0, 0), Archive: trowel.Archive{Type: "file", Key: key, MD5: make([]byte, 16), SizeBytes: 1}}
			err = errors.Join(err, tx.InsertRevision(t.Context(), &trowel.Project{Name: "p", CreatedAt: time.Unix(0, 0)}, r, nil))
		}
		return err
	})
	got := c.Run("db", "clean", "-c", "server.properties")
	if want := "Deleted 2 attempts, 2 sessions, 1 revision, 1 archive.\n"; got.Exit != 0 || got.Stdout != want {
		t.Errorf("db clean = %d, %q, %q, want %q", got.Exit, got.Stdout, got.Stderr, want)
	}
	left, err := blobs.List(t.Context(), "", "", 10)
	if diff := cmp.Diff([]string{"kept.tar.gz"}, left); err != nil || diff != "" {
		t.Errorf("files (-want +got): %v\n%s", err, diff)
	}
}

// A server has /metrics, which count requests by the names of their routes.
func TestServedMetrics(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	read := func(path string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for _, path := range []string{"/api/projects", "/api/projects/99", "/api/nothing", "/nothing", "/metrics"} {
		read(path)
	}
	page := read("/metrics")
	for _, line := range []string{
		`trowel_http_requests_total{route="getProjects",status="200"} 1`, `trowel_http_requests_total{route="getProjectById",status="404"} 1`,
		`trowel_http_requests_total{route="none",status="404"} 1`, `trowel_http_requests_total{route="ui",status="404"} 1`,
		`trowel_http_requests_total{route="metrics",status="200"} 1`, `trowel_agents 1`, `trowel_attempts_running 0`,
	} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("no line %s in %s", line, page)
		}
	}
}

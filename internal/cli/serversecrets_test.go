package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/trowtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

const testKey = "MDEyMzQ1Njc4OTAxMjM0NQ=="

const showSecret = "+a:\n  sh>: echo \"<$A>\"\n  _env: {A: '${secret:db.pw}'}\n"

// shownBySession runs the workflow of a project and returns what it printed.
func shownBySession(s *servertest.Server, session string) string {
	s.T.Helper()
	attempt := s.StartAttempt("1", session)
	s.Wait(attempt)
	return newConsole(s.T).Run("log", attempt, "-e", s.URL).Stdout
}

// A server on SQLite creates a key once, in a file that only its owner can read, says so, and uses it from then on.
// Without the file it does not start as long as there are secrets.
func TestServerMakesSecretKey(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "db")
	path := filepath.Join(dir, keyring.FileName)
	s := servertest.Start(t, "database.path", dir)
	if !strings.Contains(s.Log.String(), "made a key that secrets are encrypted with") || !strings.Contains(s.Log.String(), path) {
		t.Errorf("the log does not say that a key was made:\n%s", s.Log)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("key file: %v, %v", info, err)
	}
	made, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Push("etl", showSecret)
	if out := newConsole(t).Run("secrets", "--project", "etl", "--set", "db.pw=ab", "-e", s.URL); out.Exit != 0 {
		t.Fatalf("secrets --set: %s", out.Stderr)
	}
	s.End()

	s = servertest.Start(t, "database.path", dir)
	if log := shownBySession(s, "2024-01-01T00:00:00Z"); !strings.Contains(log, "<ab>") || strings.Contains(s.Log.String(), "made a key") {
		t.Errorf("with the same key: %s\n%s", log, s.Log)
	}
	s.End()

	// With a key in the settings, the key in the file still decrypts.
	s = servertest.Start(t, "database.path", dir, "digdag.secret-encryption-key", testKey)
	if log := shownBySession(s, "2024-01-02T00:00:00Z"); !strings.Contains(log, "<ab>") {
		t.Errorf("with another key in the settings: %s", log)
	}
	s.End()

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	out := newConsole(t).Run("server", "-o", dir, "--port", "0")
	if out.Exit != 1 || !strings.Contains(out.Stderr, "the database has 1 secret, and their key is missing: there is no "+path) {
		t.Errorf("without the file: exit %d, %s", out.Exit, out.Stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a new key was made beside secrets of another one")
	}
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := newConsole(t).Run("server", "-o", dir, "--port", "0"); out.Exit != 1 || !strings.Contains(out.Stderr, path+" is no key of secrets") {
		t.Errorf("with a broken file: exit %d, %s", out.Exit, out.Stderr)
	}
	if err := os.WriteFile(path, made, 0o600); err != nil {
		t.Fatal(err)
	}
	s = servertest.Start(t, "database.path", dir)
	if log := shownBySession(s, "2024-01-03T00:00:00Z"); !strings.Contains(log, "<ab>") {
		t.Errorf("with the file back: %s", log)
	}
}

// A server in memory keeps secrets while it runs, and writes no file.
func TestServerInMemoryHasSecretKey(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "database.type", "memory")
	s.Push("etl", showSecret)
	if out := newConsole(t).Run("secrets", "--project", "etl", "--set", "db.pw=ab", "-e", s.URL); out.Exit != 0 {
		t.Fatalf("secrets --set: %s", out.Stderr)
	}
	if log := shownBySession(s, "2024-01-01T00:00:00Z"); !strings.Contains(log, "<ab>") {
		t.Errorf("log: %s", log)
	}
	if strings.Contains(s.Log.String(), keyring.FileName) {
		t.Errorf("a file was made:\n%s", s.Log)
	}
}

// If no key can be created, the client says what to do.
func TestSecretsWithoutKey(t *testing.T) {
	t.Parallel()
	clitest.RunCases(t, commandLine(), []clitest.Case{{
		Name: "no key", Args: "secrets --project demo --set a=1", Exit: 1,
		Asked: []string{"GET projects?name=demo", `PUT projects/1/secrets/a {"value":"1"}`},
		Known: clitest.Answers{
			"GET projects?name=demo":   `{"projects":[{"id":"1","name":"demo"}]}`,
			"PUT projects/1/secrets/a": `400{"message":"` + secret.NoKeyText + `","status":400}`,
		},
		Stderr: "error: Failed to set project secret: Bad Request\nthe server says: " + secret.NoKeyText + "\n" + "fix: set digdag.secret-encryption-key in the configuration of the server to 16 random bytes in Base64, the same on all servers of the database, and " + "start it again; `openssl rand -base64 16` makes one" + "\n",
	}})
}

// Secrets of an older version can be read. A server that is alone binds them to project and key when it starts:
// a row that is moved to another key or project cannot be read then.
func TestServerBindsSecrets(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "db")
	s := servertest.Start(t, "database.path", dir, "digdag.secret-encryption-key", testKey)
	s.Push("etl", showSecret)
	s.Push("other", "+a: {echo>: x}\n")
	s.End()
	crypter, err := secret.NewCrypter(testKey)
	if err != nil {
		t.Fatal(err)
	}
	old, err := crypter.EncryptUnbound("ab")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithoutCancel(t.Context())
	put := func(tx trowel.Tx, project trowel.ProjectID, key, value string) error {
		return tx.PutSecret(ctx, &trowel.Secret{
			ProjectID: project, Scope: trowel.SecretProject, Key: key, Engine: secret.Engine, Value: value, UpdatedAt: time.Now(),
		})
	}
	trowtest.UpdateFile(t, filepath.Join(dir, "trowel.db"), func(tx trowel.Tx) error { return put(tx, 1, "db.pw", old) })
	s = servertest.Start(t, "database.path", dir, "digdag.secret-encryption-key", testKey)
	if log := shownBySession(s, "2024-01-01T00:00:00Z"); !strings.Contains(log, "does not say which project and key it belongs to") {
		t.Errorf("the older form in a database of the newer one: %s, want a refusal", log)
	}
	s.End()

	run := func() clitest.Outcome {
		return newConsole(t).Run("secrets", "rewrite", "-o", dir, "-X", "digdag.secret-encryption-key="+testKey)
	}
	if out := run(); out.Exit != 0 || out.Stdout != "1 secret rewritten.\nAll are bound to their projects and keys; the older form is not read any more.\n" {
		t.Errorf("secrets rewrite: exit %d, %s%s", out.Exit, out.Stdout, out.Stderr)
	}
	trowtest.UpdateFile(t, filepath.Join(dir, "trowel.db"), func(tx trowel.Tx) error {
		row, err := tx.FindSecret(ctx, 1, trowel.SecretProject, "db.pw")
		if err != nil {
			return err
		}
		if err := put(tx, 1, "moved", row.Value); err != nil {
			return err
		}
		return put(tx, 2, "db.pw", row.Value)
	})
	s = servertest.Start(t, "database.path", dir, "digdag.secret-encryption-key", testKey)
	if log := shownBySession(s, "2024-01-02T00:00:00Z"); !strings.Contains(log, "<ab>") || !strings.Contains(s.Log.String(), "secrets cannot be read") {
		t.Errorf("after the rewriting: %s\n%s", log, s.Log)
	}
	s.End()
	out := run()
	if out.Exit != 1 || !strings.Contains(out.Stderr, "moved of project etl: a stored secret cannot be decrypted: no key fits, or it was stored for another project or key") ||
		!strings.Contains(out.Stderr, "db.pw of project other: ") {
		t.Errorf("secrets rewrite with moved rows: exit %d, %s%s", out.Exit, out.Stdout, out.Stderr)
	}
}

package keyring_test

import (
	"bytes"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// Keys of 16 bytes.
const (
	keyA = "MDEyMzQ1Njc4OTAxMjM0NQ=="
	keyB = "YWJjZGVmZ2hpamtsbW5vcA=="
)

// database opens one in a file, with a project. Its secrets are bound to projects and keys, or not yet, as in one of an
// earlier version.
func database(t *testing.T, file string, bound bool) (trowel.Store, trowel.ProjectID) {
	t.Helper()
	if !bound {
		trowtest.UpdateFile(t, file, func(trowel.Tx) error { return nil })
		raw, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Exec("UPDATE secret_form SET bound = FALSE"); err != nil {
			t.Fatal(err)
		}
		if err := raw.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db := trowtest.OpenFile(t, file)
	return db, trowtest.Push(t, db, "p", map[string]string{"w": "{}"}).ID
}

func put(t *testing.T, rows trowel.Store, crypter *secret.Crypter, project trowel.ProjectID, key, value string) {
	t.Helper()
	err := rows.Update(t.Context(), func(tx trowel.Tx) error {
		row := &trowel.Secret{ProjectID: project, Scope: trowel.SecretProject, Key: key, UpdatedAt: time.Now()}
		return crypter.Store(t.Context(), tx, row, value)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A server looks at what is stored when it starts: it says how many secrets its keys do not open, and rewrites those of an
// earlier version, unless servers of that version may use the database too.
func TestOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		bound    bool
		database string // type in the settings
		keys     config.Secrets
		foreign  bool   // one of the secrets was stored with another key
		logged   string // empty for nothing
		after    bool   // whether all are bound then
	}{
		{name: "nothing to do", bound: true, database: config.DatabaseSQLite, keys: config.Secrets{Key: keyA}, after: true},
		{name: "of an earlier version", database: config.DatabaseSQLite, keys: config.Secrets{Key: keyA}, logged: "secrets are stored anew, bound to their projects and keys", after: true},
		{name: "of an earlier version, with others", database: config.DatabasePostgreSQL, keys: config.Secrets{Key: keyA}, logged: "call `trowel secrets rewrite -c FILE`"},
		{name: "a lost key", bound: true, database: config.DatabaseSQLite, keys: config.Secrets{Key: keyA}, foreign: true, logged: "secrets=1 of=2", after: true},
		{name: "an older key", bound: true, database: config.DatabaseSQLite, keys: config.Secrets{Key: keyA, OldKeys: []string{keyB}}, foreign: true, after: true},
		{name: "of an earlier version, with a lost key", database: config.DatabaseSQLite, keys: config.Secrets{Key: keyA}, foreign: true, logged: "secrets=1 of=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), config.DatabaseFile)
			rows, project := database(t, file, c.bound)
			own, err := secret.NewCrypter(keyA)
			if err != nil {
				t.Fatal(err)
			}
			put(t, rows, own, project, "own", "hush")
			if c.foreign {
				other, err := secret.NewCrypter(keyB)
				if err != nil {
					t.Fatal(err)
				}
				put(t, rows, other, project, "foreign", "hush")
			}
			var log bytes.Buffer
			settings := &config.Server{Database: config.Database{Type: c.database, File: file}, Secrets: c.keys}
			crypter, err := keyring.Open(t.Context(), settings, rows, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(log.String(), c.logged) || c.logged == "" && log.Len() > 0 {
				t.Errorf("the log has %q, want %q", &log, c.logged)
			}
			err = rows.View(t.Context(), func(tx trowel.Tx) error {
				bound, err := tx.SecretsBound(t.Context())
				if bound != c.after {
					t.Errorf("bound = %t, want %t", bound, c.after)
				}
				list, listed := tx.ListAllSecrets(t.Context())
				for _, row := range list {
					if row.Key == "own" && crypter.Check(row) != nil {
						t.Errorf("its own secret cannot be read: %v", crypter.Check(row))
					}
				}
				if listed != nil {
					return listed
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The key in the file of a database decrypts beside one of the settings. A file that is no key stops a server, and one that
// others can read is told.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		mode          os.FileMode
		key           string // of the settings
		wrong, logged string
	}{
		{name: "alone", content: keyB + "\n", mode: 0o600},
		{name: "beside one of the settings", content: keyB, mode: 0o600, key: keyA},
		{name: "for all to read", content: keyB, mode: 0o644, logged: "its mode should be 0600"},
		{name: "empty", mode: 0o600, wrong: "is no key of secrets: a key is 16 bytes in Base64"},
		{name: "no key", content: "hush", mode: 0o600, wrong: "is no key of secrets: a key is 16 bytes in Base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.mode != 0o600 && runtime.GOOS == "windows" {
				t.Skip("files have no modes here")
			}
			file := filepath.Join(t.TempDir(), config.DatabaseFile)
			rows, project := database(t, file, true)
			other, err := secret.NewCrypter(keyB)
			if err != nil {
				t.Fatal(err)
			}
			put(t, rows, other, project, "k", "hush")
			path := filepath.Join(filepath.Dir(file), keyring.FileName)
			if err := os.WriteFile(path, []byte(c.content), c.mode); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			settings := &config.Server{Database: config.Database{Type: config.DatabaseSQLite, File: file}, Secrets: config.Secrets{Key: c.key}}
			_, err = keyring.Open(t.Context(), settings, rows, slog.New(slog.NewTextHandler(&log, nil)))
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("error = %v, want %q", err, c.wrong)
			}
			if !strings.Contains(log.String(), c.logged) || c.logged == "" && log.Len() > 0 {
				t.Errorf("the log has %q, want %q", &log, c.logged)
			}
		})
	}
}

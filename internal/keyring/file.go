package keyring

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/textutil"
)

// FileName is the file with the key of secrets, in the folder of a database in SQLite. It has Base64 of 16
// bytes, and only its owner may read it. A key in the settings has priority.
const FileName = "secret.key"

// Path returns that file. It is empty for a database that has no folder. Servers that share a database must share
// their key, which a file of one of them could not provide.
func Path(s *config.Server) string {
	if s.Database.Type != config.DatabaseSQLite {
		return ""
	}
	return filepath.Join(filepath.Dir(s.Database.File), FileName)
}

// secretKeys returns the keys of secrets in the settings and in the file of a database. The key in the file
// still decrypts if the settings have another one.
func secretKeys(s *config.Server, log *slog.Logger) (config.Secrets, error) {
	keys := s.Secrets
	path := Path(s)
	if path == "" {
		return keys, nil
	}
	kept, err := readSecretKey(path, log)
	switch {
	case err != nil:
		return keys, err
	case kept == "" || kept == keys.Key:
	case keys.Key == "":
		keys.Key = kept
	default:
		keys.OldKeys = append(slices.Clip(keys.OldKeys), kept)
	}
	return keys, nil
}

// readSecretKey returns the content of the file, or "" if there is none.
func readSecretKey(path string, log *slog.Logger) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fix.UseSecretKey.Failed(fmt.Errorf("read the key of secrets: %w", err))
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return "", fix.UseSecretKey.Failed(fmt.Errorf("read the key of secrets in %s: %w", path, err))
	}
	key := strings.TrimSpace(string(text))
	if _, err := secret.NewCrypter(key); err != nil || key == "" {
		return "", &trowel.Error{
			Kind: trowel.ErrInvalid, Message: path + " is no key of secrets: a key is 16 bytes in Base64",
			Hint: "put the file back from a backup, or set digdag.secret-encryption-key to the key that the secrets were stored with and remove the file",
		}
	}
	if info, err := file.Stat(); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		log.Warn("others can read the key of secrets; its mode should be 0600",
			slog.String("file", path), slog.String("mode", info.Mode().Perm().String()))
	}
	return key, nil
}

// newSecretKey makes a key.
func newSecretKey() string {
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails
	return base64.StdEncoding.EncodeToString(key)
}

// writeSecretKey writes a key into a new file, in a folder that no other server uses. The file gets
// its name only after its content is on disk.
func writeSecretKey(path, key string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".secret.key-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.WriteString(key + "\n")
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // where a system can
		_ = dir.Close()
	}
	return nil
}

// giveSecretKey makes a key for a server that has none, if no other server uses its database. If there are secrets, their
// key is lost or in other settings, and the server does not start.
func giveSecretKey(ctx context.Context, s *config.Server, store trowel.Store, log *slog.Logger) (string, error) {
	if s.Database.Type == config.DatabaseMemory {
		return newSecretKey(), nil
	}
	path := Path(s)
	var stored []*trowel.Secret
	err := store.View(ctx, func(tx trowel.Tx) (err error) {
		stored, err = tx.ListAllSecrets(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	if len(stored) > 0 {
		return "", &trowel.Error{
			Kind:    trowel.ErrInvalid,
			Message: fmt.Sprintf("the database has %s, and their key is missing: there is no %s, and digdag.secret-encryption-key is not set", textutil.Plural(len(stored), "secret"), path),
			Hint: "put the file back from a backup, or set digdag.secret-encryption-key to the key that they were stored with. " +
				"If it is lost, set it to a new one (`openssl rand -base64 16`) and set each secret again",
		}
	}
	key := newSecretKey()
	if err := writeSecretKey(path, key); err != nil {
		return "", &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "cannot write a key of secrets to " + path, Err: fix.Reason(err),
			Hint: "make the folder writable, or set digdag.secret-encryption-key (`openssl rand -base64 16` makes one)",
		}
	}
	log.InfoContext(ctx, "made a key that secrets are encrypted with; keep a copy of the file, but not where the backups of the database are",
		slog.String("file", path))
	return key, nil
}

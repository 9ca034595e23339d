// Package keyring finds and makes the key with which a server encrypts secrets, and checks that it decrypts those in the database.
package keyring

import (
	"context"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/secret"
)

// Open returns the Crypter of a server. It makes a key if there is none and only one server
// uses the database.
func Open(ctx context.Context, s *config.Server, store trowel.Store, log *slog.Logger) (*secret.Crypter, error) {
	keys, err := secretKeys(s, log)
	if err != nil {
		return nil, err
	}
	sole := s.Database.Type != config.DatabasePostgreSQL
	if keys.Key == "" && sole {
		if keys.Key, err = giveSecretKey(ctx, s, store, log); err != nil {
			return nil, err
		}
	}
	crypter, err := secret.NewCrypter(keys.Key, keys.OldKeys...)
	if err != nil || !crypter.HasKey() {
		return crypter, err
	}
	return crypter, checkSecrets(ctx, store, crypter, sole, log)
}

// Configured returns the Crypter for a command that runs beside servers. It has their keys, and makes none.
func Configured(s *config.Server) (*secret.Crypter, error) {
	keys, err := secretKeys(s, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return secret.NewCrypter(keys.Key, keys.OldKeys...)
}

// checkSecrets warns about secrets that cannot be decrypted, and about those in Digdag's form. A server
// that is alone rewrites the latter.
func checkSecrets(ctx context.Context, store trowel.Store, crypter *secret.Crypter, sole bool, log *slog.Logger) error {
	var rows []*trowel.Secret
	var bound bool
	err := store.View(ctx, func(tx trowel.Tx) (err error) {
		if bound, err = tx.SecretsBound(ctx); err == nil {
			rows, err = tx.ListAllSecrets(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	lost := 0
	for _, row := range rows {
		if crypter.Check(row) != nil {
			lost++
		}
	}
	if lost > 0 {
		log.WarnContext(ctx, "secrets cannot be read: add the key that they were stored with to secret.old_encryption_keys, or set them again",
			slog.Int("secrets", lost), slog.Int("of", len(rows)))
	}
	switch {
	case bound:
		return nil
	case sole:
		done, err := Rewrite(ctx, store, crypter)
		if err == nil && done.Secrets > 0 {
			log.InfoContext(ctx, "secrets are stored anew, bound to their projects and keys", slog.Int("secrets", done.Secrets))
		}
		return err
	default:
		log.WarnContext(ctx, "secrets are stored in a form that is not bound to their projects and keys. When all servers of this database have "+
			"this version, call `trowel secrets rewrite -c FILE`", slog.Int("secrets", len(rows)))
	}
	return nil
}

// Rewrite stores all secrets again, bound to their projects and keys, with the present key.
func Rewrite(ctx context.Context, store trowel.Store, crypter *secret.Crypter) (done secret.Rewritten, err error) {
	err = store.Update(ctx, func(tx trowel.Tx) error {
		done, err = crypter.Rewrite(ctx, tx)
		return err
	})
	return done, err
}

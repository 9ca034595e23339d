package secret

import (
	"context"
	"fmt"

	"github.com/trowel-project/trowel"
)

// Tx is the part of a transaction that storing secrets needs.
type Tx interface {
	PutSecret(ctx context.Context, s *trowel.Secret) error
	KeepSecretForm(ctx context.Context) (bound bool, err error)
}

// Store encrypts a text and writes it as a secret. It fills in engine and value of the row. As long as there are
// secrets in Digdag's form, it writes that form, as a server of an older version may share the database.
func (c *Crypter) Store(ctx context.Context, tx Tx, row *trowel.Secret, text string) error {
	bound, err := tx.KeepSecretForm(ctx)
	if err != nil {
		return err
	}
	row.Engine = Engine
	if bound {
		row.Value, err = c.Encrypt(PlaceOf(row), text)
	} else {
		row.Value, err = c.EncryptUnbound(text)
	}
	if err != nil {
		return err
	}
	return tx.PutSecret(ctx, row)
}

// RewriteTx is the part of a transaction that Rewrite needs.
type RewriteTx interface {
	ListAllSecrets(ctx context.Context) ([]*trowel.Secret, error)
	PutSecret(ctx context.Context, s *trowel.Secret) error
	LockSecretForm(ctx context.Context) error
	BindSecrets(ctx context.Context) error
}

// Rewritten is what Rewrite did.
type Rewritten struct {
	Secrets int              // how many were stored again
	Failed  []RewriteFailure // those that could not be decrypted and were left as they are
	Bound   bool             // all secrets are in the bound form, and no other form is read any more
}

// RewriteFailure is a secret that cannot be decrypted.
type RewriteFailure struct {
	Place
	Err error
}

// Rewrite stores all secrets in the form that is bound to project and key, encrypted with the present key. If
// all are in this form afterwards, no other form is written or read from then on. So call it only when no
// server of an older version uses the database any more. It may be called again. The error is of kind
// invalid without a key.
func (c *Crypter) Rewrite(ctx context.Context, tx RewriteTx) (Rewritten, error) {
	var done Rewritten
	if !c.HasKey() {
		_, err := c.EncryptUnbound("")
		return done, err
	}
	if err := tx.LockSecretForm(ctx); err != nil {
		return done, err
	}
	rows, err := tx.ListAllSecrets(ctx)
	if err != nil {
		return done, err
	}
	unbound := false
	for _, row := range rows {
		text, err := c.open(row)
		if err != nil {
			done.Failed = append(done.Failed, RewriteFailure{PlaceOf(row), err})
			unbound = unbound || row.Engine == Engine && !isBound(row.Value)
			continue
		}
		if row.Value, err = c.Encrypt(PlaceOf(row), text); err != nil {
			return done, err
		}
		if err := tx.PutSecret(ctx, row); err != nil {
			return done, err
		}
		done.Secrets++
	}
	if unbound {
		return done, nil
	}
	done.Bound = true
	return done, tx.BindSecrets(ctx)
}

// Check returns an error if a row cannot be decrypted.
func (c *Crypter) Check(row *trowel.Secret) error {
	_, err := c.open(row)
	return err
}

// open decrypts a row.
func (c *Crypter) open(row *trowel.Secret) (string, error) {
	if row.Engine != Engine {
		return "", errEngine(row.Engine)
	}
	text, _, err := c.Decrypt(PlaceOf(row), row.Value)
	return text, err
}

// Rebind brings a row of Digdag's into the bound form. It does not store it.
func (c *Crypter) Rebind(row *trowel.Secret) error {
	text, err := c.open(row)
	if err != nil {
		return err
	}
	row.Value, err = c.Encrypt(PlaceOf(row), text)
	return err
}

func errEngine(engine string) error {
	return &trowel.Error{
		Kind: trowel.ErrInternal, Message: fmt.Sprintf("it was stored by engine %q, not %q", engine, Engine),
		Hint: "set the secret anew",
	}
}

func errUnbound() error {
	return &trowel.Error{
		Kind: trowel.ErrInternal, Message: "it is stored in a form that does not say which project and key it belongs to, and no secret of this database has that any more",
		Hint: "set the secret anew; if a server of an older version stored it, stop that server first",
	}
}

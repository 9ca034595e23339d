package trowel

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// MissingSecretText returns Digdag's text for a required secret that does not exist (operators 1.6).
func MissingSecretText(key string) string { return fmt.Sprintf("Secret not found for key: '%s'", key) }

var missingSecret = regexp.MustCompile(`Secret not found for key: '([A-Za-z][A-Za-z0-9_.-]*)'`)

// MissingSecret returns the key of the secret that is missing according to an error message. found is false for
// other messages, and for a key that no secret may have.
func MissingSecret(message string) (key string, found bool) {
	match := missingSecret.FindStringSubmatch(message)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// Secret is a value that only authorized operators see. It is stored encrypted.
type Secret struct {
	// ProjectID is the project of the secret.
	ProjectID ProjectID

	// Scope is SecretProject or SecretDefault.
	Scope string

	// Key is the name of the secret, unique in project and scope.
	Key string

	// Engine is how Value is encrypted: "aesgcm".
	Engine string

	// Value is the encrypted value, see package secret.
	Value string

	// Actor is who set the secret.
	Actor string

	// UpdatedAt is when the secret was set.
	UpdatedAt time.Time
}

// Where a secret comes from.
const (
	SecretProject = "project"         // a user set it
	SecretDefault = "project-default" // the authenticator supplied it with a push
)

// SecretTx is the part of a transaction about secrets.
type SecretTx interface {
	// PutSecret inserts a secret, or replaces its value.
	PutSecret(ctx context.Context, s *Secret) error
	// FindSecret returns one secret of a project, or ErrNotFound.
	FindSecret(ctx context.Context, project ProjectID, scope, key string) (*Secret, error)
	// DeleteSecret deletes a secret, and reports whether there was one.
	DeleteSecret(ctx context.Context, project ProjectID, scope, key string) (deleted bool, err error)
	// ListProjectSecrets returns the secrets of a project in all scopes, up to a limit, in no order.
	ListProjectSecrets(ctx context.Context, project ProjectID, limit int) ([]*Secret, error)
	// ListSecrets returns the secrets of a project and scope in the order of their keys.
	ListSecrets(ctx context.Context, project ProjectID, scope string) ([]*Secret, error)
	// ListAllSecrets returns the secrets of all projects and scopes.
	ListAllSecrets(ctx context.Context) ([]*Secret, error)
	// SecretsBound reports whether all secrets are stored in the form that is bound to their project and key.
	// Once they are, no other form is written or read.
	SecretsBound(ctx context.Context) (bool, error)
	// KeepSecretForm reports the same, and lets nobody change it until the transaction ends.
	KeepSecretForm(ctx context.Context) (bound bool, err error)
	// LockSecretForm lets nobody else store a secret until the transaction ends.
	LockSecretForm(ctx context.Context) error
	// BindSecrets declares that all secrets are stored in the bound form. This is never undone.
	BindSecrets(ctx context.Context) error
}

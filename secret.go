package trowel

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// MissingSecretText is Digdag's text for a required secret that does not exist (operators 1.6).
func MissingSecretText(key string) string { return fmt.Sprintf("Secret not found for key: '%s'", key) }

var missingSecret = regexp.MustCompile(`Secret not found for key: '([A-Za-z][A-Za-z0-9_.-]*)'`)

// MissingSecret returns the key of the secret that an error message says is missing. It reports false for
// other messages, and for a key that could not be set.
func MissingSecret(message string) (key string, found bool) {
	match := missingSecret.FindStringSubmatch(message)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// Secret is a value that only operators see that may. It is stored encrypted.
type Secret struct {
	ProjectID ProjectID
	Scope     string // SecretProject or SecretDefault
	Key       string
	Engine    string // "aesgcm"
	Value     string // encrypted, see package secret
	Actor     string // who set it
	UpdatedAt time.Time
}

// Where a secret comes from: set by a user, or supplied by the authenticator with a push.
const (
	SecretProject = "project"
	SecretDefault = "project-default"
)

// SecretTx is the part of a transaction about secrets.
type SecretTx interface {
	// PutSecret inserts a secret or replaces its value.
	PutSecret(ctx context.Context, s *Secret) error
	// FindSecret returns one secret of a project.
	FindSecret(ctx context.Context, project ProjectID, scope, key string) (*Secret, error)
	// DeleteSecret deletes a secret, and reports whether there was one.
	DeleteSecret(ctx context.Context, project ProjectID, scope, key string) (deleted bool, err error)
	// ListSecrets returns the secrets of a scope in the order of their keys.
	ListSecrets(ctx context.Context, project ProjectID, scope string) ([]*Secret, error)
	// ListAllSecrets returns those of all projects and scopes.
	ListAllSecrets(ctx context.Context) ([]*Secret, error)
	// SecretsBound reports whether all secrets are stored in the form that is bound to their project and key, so
	// that another form is neither written nor read.
	SecretsBound(ctx context.Context) (bool, error)
	// KeepSecretForm reports the same, and keeps it so until the transaction ends.
	KeepSecretForm(ctx context.Context) (bound bool, err error)
	// LockSecretForm lets nobody store a secret until the transaction ends.
	LockSecretForm(ctx context.Context) error
	// BindSecrets says that all secrets are stored in that form. It is never undone.
	BindSecrets(ctx context.Context) error
}

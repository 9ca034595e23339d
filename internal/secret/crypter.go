package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/trowel-project/trowel"
)

// Engine is the value of the store's engine column for secrets that a Crypter wrote (server 3.7).
const Engine = "aesgcm"

// The stored form of a secret (server 3.7) is Base64 of the name of the engine, a version and a term
// as big-endian 32-bit integers, a nonce, and the sealed record. The record is the length of the
// text as such an integer, the text, and zeros up to a multiple of padBytes.
//
// Versions 1 and 2 are Digdag's. In version 3, which is Trowel's, the record is sealed together with the
// place of the secret (see Place), so that a row that is moved to another place cannot be read.
const (
	digdagVersion = 2 // 1 is read too
	boundVersion  = 3
	onlyTerm      = 1
	keyBytes      = 16 // AES-128
	nonceBytes    = 12
	numberBytes   = 4
	headBytes     = len(Engine) + 2*numberBytes
	padBytes      = 16
)

// Names of settings in the errors of this package.
const (
	keySetting     = "digdag.secret-encryption-key"
	oldKeysSetting = "secret.old_encryption_keys"
)

// NoKeyText is the error about storing a secret without a key.
const NoKeyText = "secrets cannot be stored: " + keySetting + " is not set"

// Crypter encrypts secrets for the store and decrypts them again (server 3.7). It is safe for concurrent
// use.
type Crypter struct {
	writing cipher.AEAD   // nil without a key
	reading []cipher.AEAD // the key for writing first, then older ones
}

// Place is where a secret is stored.
type Place struct {
	Project trowel.ProjectID
	Scope   string
	Key     string
}

// PlaceOf returns the place of a row.
func PlaceOf(s *trowel.Secret) Place { return Place{s.ProjectID, s.Scope, s.Key} }

// data returns what is sealed together with a secret. It must never change, as stored secrets depend on it.
func (p Place) data() []byte {
	data := []byte("trowel secret\x00")
	data = binary.BigEndian.AppendUint64(data, uint64(p.Project)) //nolint:gosec // any number will do
	data = append(append(data, p.Scope...), 0)
	return append(data, p.Key...)
}

// NewCrypter returns a Crypter that encrypts with key. It decrypts with that key or, if it does not fit,
// with one of the older ones. Keys are Base64 of 16 bytes. Without a key everything that needs one
// fails with an error that names the missing setting. An error about a wrong key names its setting,
// but does not contain the key.
func NewCrypter(key string, oldKeys ...string) (*Crypter, error) {
	c := &Crypter{}
	if key != "" {
		aead, err := newAEAD(keySetting, key)
		if err != nil {
			return nil, err
		}
		c.writing, c.reading = aead, append(c.reading, aead)
	}
	for _, old := range oldKeys {
		aead, err := newAEAD(oldKeysSetting, old)
		if err != nil {
			return nil, err
		}
		c.reading = append(c.reading, aead)
	}
	return c, nil
}

func newAEAD(setting, text string) (cipher.AEAD, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, keyError(setting, "the value is not Base64")
	}
	if len(key) != keyBytes {
		return nil, keyError(setting, fmt.Sprintf("the key has %d bytes instead of %d", len(key), keyBytes))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("use the key in %s: %w", setting, err)
	}
	return cipher.NewGCM(block)
}

func keyError(setting, problem string) error {
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: fmt.Sprintf("%s: %s", setting, problem),
		Hint: "a key is 16 random bytes in Base64; `openssl rand -base64 16` makes one",
	}
}

// HasKey reports whether secrets can be encrypted.
func (c *Crypter) HasKey() bool { return c.writing != nil }

// Encrypt returns the stored form of a text of at most MaxValueBytes bytes, bound to its place. Each call
// returns another form. The error is of kind invalid if the text is too long or there is no key.
func (c *Crypter) Encrypt(at Place, text string) (string, error) {
	return c.encrypt(boundVersion, at.data(), text)
}

// EncryptUnbound is Encrypt in Digdag's form, for servers that do not know the bound one.
func (c *Crypter) EncryptUnbound(text string) (string, error) {
	return c.encrypt(digdagVersion, nil, text)
}

func (c *Crypter) encrypt(version uint32, place []byte, text string) (string, error) {
	if c.writing == nil {
		return "", &trowel.Error{
			Kind: trowel.ErrInvalid, Message: NoKeyText,
			Hint: "set it to 16 random bytes in Base64, the same on all servers, and keep it safe; `openssl rand -base64 16` makes one",
		}
	}
	if !ValidValue(text) {
		return "", &trowel.Error{
			Kind: trowel.ErrInvalid, Message: invalidSecret,
			Hint: fmt.Sprintf("a value has at most %d bytes", MaxValueBytes),
		}
	}
	record := make([]byte, (numberBytes+len(text)+padBytes-1)/padBytes*padBytes)
	binary.BigEndian.PutUint32(record, uint32(len(text))) //nolint:gosec // checked above
	copy(record[numberBytes:], text)

	stored := make([]byte, 0, headBytes+nonceBytes+len(record)+padBytes)
	stored = append(stored, Engine...)
	stored = binary.BigEndian.AppendUint32(stored, version)
	stored = binary.BigEndian.AppendUint32(stored, onlyTerm)
	nonce := make([]byte, nonceBytes)
	rand.Read(nonce) // never fails
	stored = append(stored, nonce...)
	stored = c.writing.Seal(stored, nonce, record, place)
	return base64.StdEncoding.EncodeToString(stored), nil
}

// Decrypt returns the text of a stored form, and whether the form is bound to the place. The error is of kind
// invalid if there is no key, and of kind internal if no key fits, the form is broken, or it was stored in
// another place. It contains neither form nor text.
func (c *Crypter) Decrypt(at Place, stored string) (text string, bound bool, err error) {
	if len(c.reading) == 0 {
		return "", false, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "secrets cannot be read: " + keySetting + " is not set",
			Hint: "set it to the key that the secrets were stored with",
		}
	}
	data, err := base64.StdEncoding.DecodeString(stored)
	if err != nil {
		return "", false, broken("it is not Base64")
	}
	if len(data) < headBytes+nonceBytes || string(data[:len(Engine)]) != Engine {
		return "", false, broken("it does not begin with " + Engine)
	}
	version := binary.BigEndian.Uint32(data[len(Engine):])
	term := binary.BigEndian.Uint32(data[len(Engine)+numberBytes:])
	if version < 1 || version > boundVersion || term != onlyTerm {
		return "", false, broken(fmt.Sprintf("version %d, term %d are not known", version, term))
	}
	bound = version == boundVersion
	var place []byte
	if bound {
		place = at.data()
	}
	nonce, sealed := data[headBytes:headBytes+nonceBytes], data[headBytes+nonceBytes:]
	for _, key := range c.reading {
		if record, err := key.Open(nil, nonce, sealed, place); err == nil {
			text, err := textOf(record)
			return text, bound, err
		}
	}
	message := "a stored secret cannot be decrypted: no key fits"
	if bound {
		message += ", or it was stored for another project or key"
	}
	return "", false, &trowel.Error{
		Kind: trowel.ErrInternal, Message: message,
		Hint: "if " + keySetting + " was changed, add the key before to " + oldKeysSetting + ", or set the secret anew",
	}
}

// isBound reports whether a stored form is bound to a place.
func isBound(stored string) bool {
	data, err := base64.StdEncoding.DecodeString(stored)
	return err == nil && len(data) >= headBytes && binary.BigEndian.Uint32(data[len(Engine):]) == boundVersion
}

// textOf returns the text in a record.
func textOf(record []byte) (string, error) {
	if len(record) < numberBytes {
		return "", broken("its record is too short")
	}
	size := binary.BigEndian.Uint32(record)
	if uint64(size) > uint64(len(record)-numberBytes) {
		return "", broken("its record is shorter than its text")
	}
	return string(record[numberBytes : numberBytes+int(size)]), nil
}

func broken(problem string) error {
	return &trowel.Error{Kind: trowel.ErrInternal, Message: "a stored secret cannot be decrypted", Hint: "set the secret anew", Err: errors.New(problem)}
}

package secret_test

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
)

// Three keys of 16 bytes.
const (
	keyA = "AAECAwQFBgcICQoLDA0ODw=="
	keyB = "EBESExQVFhcYGRobHB0eHw=="
	keyC = "ICEiIyQlJicoKSorLC0uLw=="
)

// here is the place of the secrets in these tests.
var here = secret.Place{Project: 1, Scope: "project", Key: "k"}

func crypter(t *testing.T, key string, old ...string) *secret.Crypter {
	t.Helper()
	c, err := secret.NewCrypter(key, old...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Server 3.7: every text comes back, and equal texts are stored differently.
func TestCrypterRoundTrip(t *testing.T) {
	t.Parallel()
	c := crypter(t, keyA)
	for _, text := range []string{"", "x", "twelve chars", "thirteen chars", "grüße\n☃", "a\x00b", strings.Repeat("x", secret.MaxValueBytes)} {
		first, err := c.Encrypt(here, text)
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Encrypt(here, text)
		if err != nil || first == second {
			t.Errorf("Encrypt twice: error = %v, equal = %v", err, first == second)
		}
		if got, bound, err := c.Decrypt(here, first); err != nil || got != text || !bound {
			t.Errorf("Decrypt = %.20q, %v, want %.20q", got, err, text)
		}
	}
}

// Server 3.7: the layout is read byte by byte, with the standard library alone.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	stored, err := crypter(t, keyA).EncryptUnbound("thirteen chars")
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(stored)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data[:14]), "aesgcm\x00\x00\x00\x02\x00\x00\x00\x01"; got != want {
		t.Errorf("head = %q, want %q", got, want)
	}
	if got, want := len(data), 26+32+16; got != want {
		t.Errorf("length = %d, want %d", got, want)
	}
	record, err := aead(t, keyA).Open(nil, data[14:26], data[26:], nil)
	if want := "\x00\x00\x00\x0ethirteen chars" + strings.Repeat("\x00", 14); err != nil || string(record) != want {
		t.Errorf("record = %q, %v, want %q", record, err, want)
	}
}

func aead(t *testing.T, key string) cipher.AEAD {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return sealer
}

// stored builds the stored form of a record.
func stored(t *testing.T, version, term uint32, record string) string {
	t.Helper()
	data := []byte("aesgcm")
	data = binary.BigEndian.AppendUint32(data, version)
	data = binary.BigEndian.AppendUint32(data, term)
	nonce := []byte("123456789012")
	data = append(data, nonce...)
	return base64.StdEncoding.EncodeToString(aead(t, keyA).Seal(data, nonce, []byte(record), nil))
}

// Server 3.7: versions 1 and 2 are read, nothing else, and a broken row is an internal error.
func TestDecryptForms(t *testing.T) {
	t.Parallel()
	record := "\x00\x00\x00\x02hi" + strings.Repeat("\x00", 10)
	good := stored(t, 2, 1, record)
	for _, c := range []struct{ name, stored, want, problem string }{
		{name: "version 1", stored: stored(t, 1, 1, record), want: "hi"},
		{name: "version 2", stored: good, want: "hi"},
		{name: "version 0", stored: stored(t, 0, 1, record), problem: "version 0, term 1 are not known"},
		{name: "version 3, sealed for no place", stored: stored(t, 3, 1, record), problem: "no key fits, or it was stored for another project or key"},
		{name: "version 4", stored: stored(t, 4, 1, record), problem: "version 4, term 1 are not known"},
		{name: "term 2", stored: stored(t, 2, 2, record), problem: "version 2, term 2 are not known"},
		{name: "long length", stored: stored(t, 2, 1, "\xff\xff\xff\xffhi"), problem: "its record is shorter than its text"},
		{name: "short record", stored: stored(t, 2, 1, "\x00"), problem: "its record is too short"},
		{name: "not Base64", stored: "%", problem: "it is not Base64"},
		{name: "other engine", stored: base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 80))), problem: "it does not begin with aesgcm"},
		{name: "empty", stored: "", problem: "it does not begin with aesgcm"},
		{name: "changed", stored: good[:len(good)-8] + "AAAAAAA=", problem: "no key fits"},
	} {
		got, _, err := crypter(t, keyA).Decrypt(here, c.stored)
		if got != c.want || (c.problem == "") != (err == nil) || !strings.Contains(text(err), c.problem) {
			t.Errorf("%s: Decrypt = %q, %v, want %q, %q", c.name, got, err, c.want, c.problem)
		}
		if err != nil && !errors.Is(err, trowel.ErrInternal) {
			t.Errorf("%s: error = %v, want kind internal", c.name, err)
		}
	}
}

func TestOldKeysStillDecrypt(t *testing.T) {
	t.Parallel()
	old, err := crypter(t, keyA).EncryptUnbound("hush")
	if err != nil {
		t.Fatal(err)
	}
	rotated := crypter(t, keyB, keyC, keyA)
	if got, _, err := rotated.Decrypt(here, old); err != nil || got != "hush" {
		t.Errorf("Decrypt with an old key = %q, %v", got, err)
	}
	fresh, err := rotated.EncryptUnbound("hush")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := crypter(t, keyB).Decrypt(here, fresh); err != nil || got != "hush" {
		t.Errorf("Decrypt of what the new key wrote = %q, %v", got, err)
	}
	if _, _, err := crypter(t, keyB).Decrypt(here, old); err == nil || !strings.Contains(err.Error(), "no key fits") {
		t.Errorf("Decrypt without the old key: error = %v", err)
	}
}

func TestCrypterErrorsNameTheSetting(t *testing.T) {
	t.Parallel()
	if _, err := secret.NewCrypter("%"); text(err) != "digdag.secret-encryption-key: the value is not Base64" {
		t.Errorf("error = %v", err)
	}
	if _, err := secret.NewCrypter("AAAA"); text(err) != "digdag.secret-encryption-key: the key has 3 bytes instead of 16" {
		t.Errorf("error = %v", err)
	}
	if _, err := secret.NewCrypter(keyA, "AAAA"); text(err) != "secret.old_encryption_keys: the key has 3 bytes instead of 16" {
		t.Errorf("error = %v", err)
	}
	none := crypter(t, "")
	_, err := none.Encrypt(here, "x")
	if !errors.Is(err, trowel.ErrInvalid) || !strings.Contains(text(err), "digdag.secret-encryption-key is not set") {
		t.Errorf("Encrypt without a key: error = %v", err)
	}
	_, _, err = none.Decrypt(here, "x")
	if !errors.Is(err, trowel.ErrInvalid) || !strings.Contains(text(err), "digdag.secret-encryption-key is not set") {
		t.Errorf("Decrypt without a key: error = %v", err)
	}
	_, err = crypter(t, keyA).Encrypt(here, strings.Repeat("x", secret.MaxValueBytes+1))
	if !errors.Is(err, trowel.ErrInvalid) || text(err) != "Invalid secret" {
		t.Errorf("Encrypt of a long text: error = %v", err)
	}
}

// FuzzDecrypt proves that Decrypt returns for any content of the column.
func FuzzDecrypt(f *testing.F) {
	c, err := secret.NewCrypter(keyA)
	if err != nil {
		f.Fatal(err)
	}
	good, err := c.Encrypt(here, "hush")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add("")
	f.Fuzz(func(t *testing.T, form string) {
		if got, _, err := c.Decrypt(here, form); err == nil && got != "hush" {
			t.Errorf("Decrypt(%q) = %q, which nobody sealed", form, got)
		}
	})
}

// Server 1.10.19, 2.6.3: what may be stored.
func TestCheckStored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, value string
		ok         bool
	}{
		{"k", "", true},
		{"a-b_c", "v", true},
		{"A.B", "v", true},
		{"a1", strings.Repeat("x", 16384), true},
		{"a", strings.Repeat("x", 16385), false},
		{"a", strings.Repeat("ü", 8193), false},
		{strings.Repeat("x", 255), "v", true},
		{strings.Repeat("x", 256), "v", false},
		{"", "v", false},
		{"a..b", "v", false},
		{".a", "v", false},
		{"a.", "v", false},
		{"a b", "v", false},
		{"a/b", "v", false},
		{"1a", "v", false},
		{"a-", "v", false},
		{"a+b", "v", false},
		{"é", "v", false},
		{"a\n", "v", false},
	} {
		err := secret.CheckStored(c.key, c.value)
		if (err == nil) != c.ok {
			t.Errorf("CheckStored(%q, %d bytes) = %v, want ok = %v", c.key, len(c.value), err, c.ok)
		}
		if err != nil && (err.Error() != "Invalid secret" || !errors.Is(err, trowel.ErrInvalid)) {
			t.Errorf("CheckStored(%q) = %q, want %q of kind invalid", c.key, err, "Invalid secret")
		}
	}
}

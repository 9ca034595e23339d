package secret_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// local returns a Local with one configured secret and a folder of files, and its log.
func local(t *testing.T, files map[string]string) (*secret.Local, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	return secret.NewLocal(secret.LocalOptions{
		Properties: map[string]string{"pg.password": "from properties"},
		Dir:        dir,
		Log:        slog.New(slog.NewTextHandler(&log, nil)),
	}), &log
}

// Server 1.9.2: the configuration has priority over files, and the content of a file is used as it is.
func TestLocalFindsInOrder(t *testing.T) {
	t.Parallel()
	finder, _ := local(t, map[string]string{
		"pg.password": "from file",
		"api.key":     "line\n",
		"empty":       "",
	})
	for _, c := range []struct {
		key, want string
		found     bool
	}{
		{"pg.password", "from properties", true},
		{"api.key", "line\n", true},
		{"empty", "", true},
		{"nothing", "", false},
		{"sub/api", "", false},
		{`sub\api`, "", false},
	} {
		got, found, err := finder.Find(t.Context(), c.key)
		if err != nil || found != c.found || got.Reveal() != c.want {
			t.Errorf("Find(%q) = %q, %v, %v, want %q, %v", c.key, got.Reveal(), found, err, c.want, c.found)
		}
	}
}

// A key cannot name a file outside of the folder.
func TestLocalStaysInFolder(t *testing.T) {
	t.Parallel()
	finder, _ := local(t, map[string]string{"api": "x"})
	for _, key := range []string{"..", "../" + filepath.Base(finder.Dir()) + "/api", "x/../api"} {
		_, found, err := finder.Find(t.Context(), key)
		if _, ok := errors.AsType[*secret.KeyError](err); !ok || found {
			t.Errorf("Find(%q): found = %v, error = %v, want a KeyError", key, found, err)
		}
	}
}

func TestLocalWithoutFolder(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "missing")} {
		finder := secret.NewLocal(secret.LocalOptions{Dir: dir})
		if _, found, err := finder.Find(t.Context(), "a"); found || err != nil {
			t.Errorf("Find in folder %q: found = %v, error = %v, want none", dir, found, err)
		}
	}
}

func TestLocalWarnsOnceOfOpenFile(t *testing.T) {
	t.Parallel()
	finder, log := local(t, map[string]string{"closed": "x", "open": "hush"})
	if err := os.Chmod(filepath.Join(finder.Dir(), "open"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"closed", "open", "open"} {
		if _, _, err := finder.Find(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	text := log.String()
	if strings.Count(text, "secret=open mode=-rw-r--r--") != 1 || strings.Contains(text, "closed") {
		t.Errorf("log = %q, want one warning about %q", text, "open")
	}
	if strings.Contains(text, "hush") {
		t.Errorf("log = %q has the secret", text)
	}
}

func TestLocalRefusesHugeFile(t *testing.T) {
	t.Parallel()
	finder, _ := local(t, map[string]string{"huge": strings.Repeat("x", 1<<20+1)})
	if _, _, err := finder.Find(t.Context(), "huge"); err == nil || !strings.Contains(err.Error(), `read secret "huge"`) {
		t.Errorf("Find(huge): error = %v, want one that names the key", err)
	}
}

// Operators 1.6: keys are not empty, have no "*" and no empty segment.
func TestCheckKey(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"a": true, "a.b-c.d_1": true, "A B": true,
		"": false, "*": false, "a.*": false, "a..b": false, ".a": false, "a.": false,
	} {
		err := secret.CheckKey(key)
		if (err == nil) != ok {
			t.Errorf("CheckKey(%q) = %v, want ok = %v", key, err, ok)
		}
		if want := fmt.Sprintf("Illegal key: '%s'", key); err != nil && err.Error() != want {
			t.Errorf("CheckKey(%q) = %q, want %q", key, err, want)
		}
	}
}

// echo finds every key except "missing". The value is the key itself.
type echo struct{}

func (echo) find(key string) (secret.Value, bool, error) {
	return secret.NewValue("<" + key + ">"), key != "missing", nil
}

// Operators 1.6: the effect of a _secrets map on a key.
func TestMount(t *testing.T) {
	t.Parallel()
	mounts := param.Of(
		"pg", param.Of("password", "prod.db", "host", true, "port", 5, "null", nil),
		"aws", "corp.aws",
		"on", true,
		"off", false,
		"list", param.List{"x"},
		"empty", "",
	)
	for _, c := range []struct{ key, want, problem string }{
		{key: "pg.password", want: "<prod.db>"},
		{key: "pg.password.old", want: "<prod.db.old>"},
		{key: "pg.host", want: "<pg.host>"},
		{key: "pg.user", want: "<pg.user>"},
		{key: "pg", want: "<pg>"},
		{key: "aws.s3.region", want: "<corp.aws.s3.region>"},
		{key: "aws", want: "<corp.aws>"},
		{key: "on.a.b", want: "<on.a.b>"},
		{key: "other", want: "<other>"},
		{key: "off.a", problem: "Illegal value in _secrets: false"},
		{key: "pg.port", problem: "Illegal value in _secrets: 5"},
		{key: "pg.null", problem: "Illegal value in _secrets: null"},
		{key: "list", problem: `Illegal value in _secrets: ["x"]`},
	} {
		finder := secret.Mount(finderFunc(echo{}.find), mounts, slog.New(slog.DiscardHandler))
		got, _, err := finder.Find(t.Context(), c.key)
		if problem := text(err); problem != c.problem {
			t.Errorf("Find(%q): error = %q, want %q", c.key, problem, c.problem)
			continue
		}
		if err == nil && got.Reveal() != c.want {
			t.Errorf("Find(%q) = %q, want %q", c.key, got.Reveal(), c.want)
		}
	}
}

func TestMountWithoutMap(t *testing.T) {
	t.Parallel()
	finder := secret.Mount(finderFunc(echo{}.find), nil, nil)
	if got, _, err := finder.Find(t.Context(), "a"); err != nil || got.Reveal() != "<a>" {
		t.Errorf("Find(a) = %q, %v, want <a>", got.Reveal(), err)
	}
}

// Language T29, T30.
func TestExpand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want, problem string }{
		{text: "", want: ""},
		{text: "plain $x", want: "plain $x"},
		{text: "${}", want: "${}"},
		{text: "${foo}", want: "${foo}"},
		{text: "${secret:}", want: "${secret:}"},
		{text: "${secret:a}", want: "<a>"},
		{text: "x${secret: a.b }y${secret:c}z", want: "x<a.b>y<c>z"},
		{text: "${ secret :a}", want: "<a>"},
		{text: "${secret:a\n}", want: "<a>"},
		{text: "${secret:missing}", problem: "Secret not found for key: 'missing'"},
		{text: "${secret:*}", problem: "Illegal key: '*'"},
		{text: "${secret: }", problem: "Illegal key: ''"},
		{text: "${foo:-x}", problem: "Invalid parametrization: '${foo:-x}'"},
		{text: "${:x}", problem: "Invalid parametrization: '${:x}'"},
		{text: "${secret:missing} ${env:HOME}", problem: "Invalid parametrization: '${env:HOME}'"},
		{text: "${A} and b:c}", problem: "Invalid parametrization: '${A} and b:c}'"},
		{text: "${secret:${x}}", want: "<${x>}"},
	} {
		got, err := secret.Expand(t.Context(), finderFunc(echo{}.find), c.text)
		if problem := text(err); problem != c.problem || got != c.want {
			t.Errorf("Expand(%q) = %q, %q, want %q, %q", c.text, got, problem, c.want, c.problem)
		}
	}
}

// A secret is inserted as it is, whatever it contains.
func TestExpandInsertsLiterally(t *testing.T) {
	t.Parallel()
	const hush = `$1 \$ ${secret:a} ${x:y}`
	find := func(string) (secret.Value, bool, error) { return secret.NewValue(hush), true, nil }
	got, err := secret.Expand(t.Context(), finderFunc(find), "[${secret:k}]")
	if want := "[" + hush + "]"; err != nil || got != want {
		t.Errorf("Expand = %q, %v, want %q", got, err, want)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	t.Parallel()
	finder := finderFunc(echo{}.find)
	_, err := secret.Expand(t.Context(), finder, "${x:y}")
	if _, ok := errors.AsType[*param.Error](err); !ok {
		t.Errorf("Expand of another word: error is %T, want *param.Error", err)
	}
	_, err = secret.Require(t.Context(), finder, "missing")
	if _, ok := errors.AsType[*secret.NotFoundError](err); !ok {
		t.Errorf("Require of a missing secret: error is %T, want *secret.NotFoundError", err)
	}
}

func TestValueIsMasked(t *testing.T) {
	t.Parallel()
	value := secret.NewValue("hush")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", slog.Any("v", value))
	asJSON, err := json.Marshal(map[string]any{"v": value})
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%v %s %q %+v %#v %s %s", value, value, value, value, value, asJSON, log.String())
	if strings.Contains(shown, "hush") || !strings.Contains(shown, "********") {
		t.Errorf("shown = %s, want masks only", shown)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

package trowel_test

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// What differs between failures of one cause is blank, and nothing else.
func TestBlankMessage(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Command failed with code 1":                   "Command failed with code #",
		"Command failed with code 127":                 "Command failed with code #",
		"no table 'sales_2026' here":                   `no table "" here`,
		`key "a" is "b`:                                `key "" is "b`,
		"can't open it, won't":                         "can't open it, won't",
		"at 2026-11-21T03:00:00.123Z":                  "at #-#-#T#:#:#.#Z",
		"job 3f2b1c9a8d7e of query":                    "job # of query",
		"id 123e4567-e89b-12d3-a456-426614174000 gone": "id #-#-#-#-# gone",
		"at 0xdeadbeef":                                "at #",
		"read /tmp/try-81/x.sql: denied":               "read /tmp denied",
		"in /var/folders/zz/T/abc/run.sh, line 4":      "in /tmp, line #",
		"added facade bead":                            "added facade bead",
		"two\n\n  lines\t":                             "two lines",
		"表 12 がない":                                     "表 # がない",
	} {
		if got := trowel.BlankMessage(message); got != want {
			t.Errorf("BlankMessage(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestCause(t *testing.T) {
	t.Parallel()
	one, kind := trowel.CauseOf("sh", "Command failed with code 1 (runtime)")
	two, _ := trowel.CauseOf("sh", "Command failed with code 2 (runtime)")
	other, none := trowel.CauseOf("py", "Command failed with code 1 (runtime)")
	if one != two || one == other || kind != "runtime" || none != "runtime" {
		t.Errorf("causes %s, %s, %s, kinds %q, %q", one, two, other, kind, none)
	}
	if _, kind := trowel.CauseOf("sh", "it failed (code 7)"); kind != "" {
		t.Errorf("kind = %q, want none", kind)
	}
	if back, err := trowel.ParseCause(one.String()); err != nil || back != one {
		t.Errorf("ParseCause(%s) = %s, %v", one, back, err)
	}
	for _, text := range []string{"", "1", "xxxxxxxxxxxxxxxx", one.String() + "0"} {
		if _, err := trowel.ParseCause(text); err == nil {
			t.Errorf("ParseCause(%q) succeeds", text)
		}
	}
}

func FuzzBlankMessage(f *testing.F) {
	f.Add("a 'b' 0x1f /tmp/x \"")
	f.Fuzz(func(t *testing.T, message string) {
		if once := trowel.BlankMessage(message); len(once) > len(message)+2*len(message) {
			t.Errorf("BlankMessage(%q) = %q", message, once)
		}
	})
}

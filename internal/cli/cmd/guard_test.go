package cmd

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/terminal"
)

// attacks are texts that do something to a terminal, and what is shown of them.
var attacks = []struct{ name, text, want string }{
	{"title", "a\x1b]0;PWNED\x07b", "a^[]0;PWNED^Gb"},
	{"title, other end", "\x1b]2;PWNED\x1b\\b", `^[]2;PWNED^[\b`},
	{"clear", "\x1b[2J\x1b[H", "^[[2J^[[H"},
	{"clipboard", "\x1b]52;c;cm0gLXJm\x07", "^[]52;c;cm0gLXJm^G"},
	{"link", "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\", `^[]8;;http://evil^[\x^[]8;;^[\`},
	{"device control", "\x1bP$q\"p\x1b\\", `^[P$q"p^[\`},
	{"application command", "\x1b_x\x1b\\", `^[_x^[\`},
	{"answer back", "\x05\x1b[c\x1b[6n", "^E^[[c^[[6n"},
	{"C1 as characters", "\u009b2J\u009d0;x\u009c\u0090\u0085", `\u009b2J\u009d0;x\u009c\u0090\u0085`},
	{"C1 as bytes", "\x9b2J\x9d0;x\x9c", `\x9b2J\x9d0;x\x9c`},
	{"delete and backspace", "ok\x7f\x08\x08no", "ok^?^H^Hno"},
	{"null and vertical tab", "\x00\x0b\x0c", "^@^K^L"},
	{"carriage return", "failed\rsuccess", "failed^Msuccess"},
	{"other order", "a\u202egnp.exe\u202c\u2066\u2069\u200f", `a\u202egnp.exe\u202c\u2066\u2069\u200f`},
	{"line separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
	{"hidden", "\x1b[8mrm -rf\x1b[1;08mx\x1b[38:5:1;8my", "rm -rfxy"},
	{"colours", "\x1b[38;5;8mgrey\x1b[0m \x1b[38;2;8;8;8mdark\x1b[m", "\x1b[38;5;8mgrey\x1b[0m \x1b[38;2;8;8;8mdark\x1b[m"},
	{"sequence without end", "\x1b[31", "^[[31"},
	{"text", "日本語\tä\u00a0é👩‍🚀", "日本語\tä\u00a0é👩‍🚀"},
}

// TestTerminalWriter writes each attack in one piece, and cut in two at each place.
func TestTerminalWriter(t *testing.T) {
	t.Parallel()
	for _, tc := range attacks {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for cut := range len(tc.text) + 1 {
				var out bytes.Buffer
				env := Env{Stdout: &out, Stderr: &out, Terminals: Terminals{Stdout: true}}
				flush := env.guardTerminals()
				for _, part := range []string{tc.text[:cut], tc.text[cut:]} {
					if n, err := env.Stdout.Write([]byte(part)); n != len(part) || err != nil {
						t.Fatalf("Write(%q) = %d, %v", part, n, err)
					}
				}
				flush()
				if got := out.String(); got != tc.want {
					t.Errorf("%q and %q: the terminal got %q, want %q", tc.text[:cut], tc.text[cut:], got, tc.want)
				}
			}
		})
	}
}

// TestTerminalWriterLines checks that colours end with their line, and that a prompt is shown at once.
func TestTerminalWriterLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	env := Env{Stdout: &out, Terminals: Terminals{Stdout: true}}
	flush := env.guardTerminals()
	terminal.Say(env.Stdout, "%s", "a\r\n\x1b[41mred\nb\x1b[32mgreen\x1b[0m\nreally? ")
	if got, want := out.String(), "a\n\x1b[41mred\x1b[0m\nb\x1b[32mgreen\x1b[0m\nreally? "; got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
	out.Reset()
	terminal.Say(env.Stdout, "\x1b[31mno")
	flush()
	if got, want := out.String(), "\x1b[31mno\x1b[0m"; got != want {
		t.Errorf("at the end the terminal got %q, want %q", got, want)
	}
}

// TestGuardTerminals checks that a pipe gets all bytes, and that a live display gets the terminal itself.
func TestGuardTerminals(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	env := Env{Stdout: &stdout, Stderr: &stderr, Terminals: Terminals{Stderr: true}}
	env.guardTerminals()
	terminal.Say(env.Stdout, "\x1b[2J")
	terminal.Say(env.Stderr, "\x1b[2J")
	terminal.Say(env.unguarded().Stderr, "\x1b[1A")
	if got, want := stdout.String(), "\x1b[2J"; got != want {
		t.Errorf("the pipe got %q, want %q", got, want)
	}
	if got, want := stderr.String(), "^[[2J\x1b[1A"; got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}

// TestHarmlessLog checks that text in an entry of a server's log cannot control a terminal or look like
// another entry.
func TestHarmlessLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	format := &logging.Handler{To: &out, Thread: "main\x1b[2J", Class: "trowel.server", Harmless: true}
	log := slog.New(format).With(slog.String("project", "p\x07"))
	record := slog.NewRecord(time.Unix(0, 0).UTC(), slog.LevelWarn, "boom \x1b]0;T\x07", 0)
	record.AddAttrs(slog.String("error", "a\n1970-01-01 00:00:00 +0000 [INFO] (main) forged\r\n\x9b2Jc\u202e\x1b[31m"))
	if err := log.Handler().Handle(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	want := "1970-01-01 00:00:00 +0000 [WARN] (main^[[2J) trowel.server: boom ^[]0;T^G project=p^G error=a\n" +
		"    1970-01-01 00:00:00 +0000 [INFO] (main) forged\n    \\x9b2Jc\\u202e\n"
	if got := out.String(); got != want {
		t.Errorf("the log has %q, want %q", got, want)
	}
	if strings.Count(out.String(), "\n") != 3 {
		t.Errorf("the log has %q, want 3 lines", out.String())
	}
}

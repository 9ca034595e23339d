package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

var update = flag.Bool("update", false, "write the files that are made of the table of states")

// Every state of a task has a look, and no two looks share a letter.
func TestLooks(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, l := range api.Looks() {
		if other, twice := seen[l.Letter]; twice {
			t.Errorf("letter %s is that of %s and of %s", l.Letter, other, l.State)
		}
		seen[l.Letter] = l.State
	}
	for _, s := range []trowel.TaskState{
		trowel.TaskBlocked, trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskRunning, trowel.TaskPlanned,
		trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled, trowel.TaskSkipped, trowel.TaskDeferred,
	} {
		if _, known := api.LookOf(s.String()); !known {
			t.Errorf("state %s has no look", s)
		}
	}
}

// The web UI is given the table in two files, which nobody edits.
func TestLookFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]byte{"states.gen.ts": scriptOfLooks(t), "states.gen.css": styleOfHues()} {
		path := "../../ui/src/state/" + name
		if *update {
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path) //nolint:gosec // a file of this repository
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not that of the table: go generate ./internal/api (-want +got):\n%s", path, diff)
		}
	}
}

func scriptOfLooks(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("// Made of internal/api/look.go by `go generate ./internal/api`; edit the table there.\n\n")
	b.WriteString("export interface Look {\n  readonly letter: string;\n  readonly state: string;\n  readonly word: string;\n  readonly meaning: string;\n  readonly hue: string;\n}\n\n")
	b.WriteString("/** The looks of all states, the worst first. */\nexport const looks: readonly Look[] = [\n")
	for _, l := range api.Looks() {
		text, err := json.Marshal(struct {
			Letter  string `json:"letter"`
			State   string `json:"state"`
			Word    string `json:"word"`
			Meaning string `json:"meaning"`
			Hue     string `json:"hue"`
		}{l.Letter, l.State, l.Word, l.Meaning, l.Hue})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "  %s,\n", text)
	}
	b.WriteString("];\n")
	return b.Bytes()
}

func styleOfHues() []byte {
	var b bytes.Buffer
	b.WriteString("/* Made of internal/api/look.go by `go generate ./internal/api`; edit the table there. */\n:root {\n")
	for _, h := range api.Hues() {
		fmt.Fprintf(&b, "  --state-%s: light-dark(%s, %s);\n", h.Name, h.Light, h.Dark)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// Each hue stands out from both backgrounds of its theme.
func TestHueContrast(t *testing.T) {
	t.Parallel()
	const least = 3.2
	for _, h := range api.Hues() {
		for colour, grounds := range map[string][]string{h.Light: {"#FFFFFF", "#F6F7F9"}, h.Dark: {"#14171C", "#1C2027"}} {
			for _, ground := range grounds {
				if got := contrast(linear(t, colour), linear(t, ground)); got < least {
					t.Errorf("%s: contrast of %s on %s = %.2f, want at least %.1f", h.Name, colour, ground, got, least)
				}
			}
		}
	}
}

// People who see fewer colours can tell the five hues apart. What they see is computed after Viénot, Brettel and Mollon (1999)
// for red and green, and by the matrix of Machado, Oliveira and Fernandes (2009) for blue.
func TestHueDistance(t *testing.T) {
	t.Parallel()
	sights := map[string][3][3]float64{
		"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
		"deuteranopia": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
	hues := api.Hues()[:5]
	for name, sight := range sights {
		for i, a := range hues {
			for _, b := range hues[i+1:] {
				for theme, pair := range map[string][2]string{"light": {a.Light, b.Light}, "dark": {a.Dark, b.Dark}} {
					least := map[string]float64{"light": 15, "dark": 24}[theme]
					got := distance(seen(sight, linear(t, pair[0])), seen(sight, linear(t, pair[1])))
					if got < least {
						t.Errorf("%s, %s: %s and %s are %.1f apart, want at least %.0f", name, theme, a.Name, b.Name, got, least)
					}
				}
			}
		}
	}
}

// linear returns the linear light of a colour #RRGGBB.
func linear(t *testing.T, colour string) (light [3]float64) {
	t.Helper()
	for i := range light {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if light[i] = v / 12.92; v > 0.04045 {
			light[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return light
}

func luminance(c [3]float64) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func seen(sight [3][3]float64, c [3]float64) (s [3]float64) {
	for i, row := range sight {
		s[i] = min(max(row[0]*c[0]+row[1]*c[1]+row[2]*c[2], 0), 1)
	}
	return s
}

// distance is the difference of two colours by CIE76.
func distance(a, b [3]float64) float64 {
	x, y := lab(a), lab(b)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func lab(c [3]float64) [3]float64 {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

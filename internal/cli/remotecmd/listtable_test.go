package remotecmd

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// testView returns a view of lists on a terminal of a width.
func testView(width int) (v *listView, out, hints *bytes.Buffer) {
	out, hints = &bytes.Buffer{}, &bytes.Buffer{}
	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.FixedZone("", 9*60*60))
	return &listView{out: out, hints: hints, look: terminal.Look{Signs: terminal.UnicodeSigns()}, columns: width, rows: 24, now: now, zone: "Asia/Tokyo", hinted: func(form string) string { return "trowel " + form }}, out, hints
}

// testAttempts have names of all widths, and one that attacks the terminal.
func testAttempts() []api.Attempt {
	at := func(s int64) api.Instant { return api.Instant{Time: time.Unix(1_704_100_000+s, 0)} }
	ended := at(3725)
	session := api.OffsetTime{Time: time.Unix(1_704_067_200, 0)}
	name := "\x1b]0;T\x07\nstatus: success"
	return []api.Attempt{
		{ID: 12345, Project: api.IDName{Name: "warehouse"}, Workflow: api.NameOptID{Name: "load_all_customers_of_the_north"}, SessionTime: session, Done: true, CreatedAt: at(0), FinishedAt: &ended},
		{ID: 7, Project: api.IDName{Name: "日本語の倉庫"}, Workflow: api.NameOptID{Name: "顧客データを読み込む"}, SessionTime: session, CreatedAt: at(-9), CancelRequested: true},
		{ID: 6, Project: api.IDName{Name: "p"}, Workflow: api.NameOptID{Name: "w"}, SessionTime: session, RetryAttemptName: &name, Done: true, Success: true, CreatedAt: at(0), FinishedAt: &ended},
	}
}

func TestAttemptTable(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		200: "   ID  STATUS   WORKFLOW                                   SESSION              STARTED               TOOK  NAME\n" +
			"12345  error    warehouse/load_all_customers_of_the_north  2024-01-01 09:00:00  2024-01-01 18:06:40  1h02m\n" +
			"    7  killing  日本語の倉庫/顧客データを読み込む          2024-01-01 09:00:00  2024-01-01 18:06:31  8h57m\n" +
			"    6  success  p/w                                        2024-01-01 09:00:00  2024-01-01 18:06:40  1h02m  ^[]0;T^G^Jstatus: success\n",
		80: "   ID  STATUS   WORKFLOW         SESSION              STARTED               TOOK\n" +
			"12345  error    warehou…e_north  2024-01-01 09:00:00  2024-01-01 18:06:40  1h02m\n" +
			"    7  killing  日本語…読み込む  2024-01-01 09:00:00  2024-01-01 18:06:31  8h57m\n" +
			"    6  success  p/w              2024-01-01 09:00:00  2024-01-01 18:06:40  1h02m\n",
		40: "   ID  STATUS   WORKFLOW            TOOK\n" +
			"12345  error    warehous…he_north  1h02m\n" +
			"    7  killing  日本語の…読み込む  8h57m\n" +
			"    6  success  p/w                1h02m\n",
	} {
		v, out, _ := testView(width)
		v.show(attemptTable(v, testAttempts()), "none")
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, diff)
		}
	}
}

// TestTablesFit checks that a line of a list is never wider than the window, is one line, and is harmless to a
// terminal, and that the most important columns stay however narrow the window is.
func TestTablesFit(t *testing.T) {
	t.Parallel()
	evil := "a\x1b[2J\u202e日本語" + strings.Repeat("x", 60) + "\nb"
	slots, wait, rate := 4, int64(98_000_000), 1.5
	session := api.OffsetTime{Time: time.Unix(1_704_067_200, 0)}
	failed := api.Task{ID: 3, FullName: evil, State: "error", StartedAt: &api.Instant{Time: time.Unix(1_704_067_200, 0)}, Error: param.Of("message", evil+"\nTraceback")}
	for width := range 201 {
		if width < 24 {
			continue
		}
		v, out, _ := testView(width)
		for kept, table := range map[string]*listTable{
			"12345":   attemptTable(v, testAttempts()),
			"SESSION": backfillTable(v, testAttempts(), width%2 == 0),
			"pending": sessionTable(v, []api.Session{{ID: 1, Project: api.IDName{Name: evil}, Workflow: api.NameOptID{Name: evil}, SessionTime: session}}),
			"error":   taskTable(v, []api.Task{failed, {ID: 9, FullName: "+a", State: "blocked"}}, nil, map[api.ID]string{9: evil}, map[api.ID]string{failed.ID: evil}, nil),
			"PROJECT": projectTable(v, []api.Project{{ID: 1, Name: evil, Revision: evil}}),
			"WORK":    workflowTable([]api.Workflow{{ID: 1, Project: api.IDName{Name: evil}, Name: evil, Revision: evil, Timezone: evil}}),
			"WHEN":    scheduleTable(v, []api.Schedule{{ID: 1, Project: api.IDName{Name: evil}, Workflow: api.IDName{Name: evil}, NextRunTime: api.Instant{Time: v.now.Add(time.Hour)}, NextScheduleTime: session}}),
			"USED":    poolTable([]api.Pool{{Name: evil, Description: evil, Slots: -1}}),
			"live":    agentTable(v, []api.Agent{{ID: evil, Name: evil, State: "live", Slots: &slots, Queues: api.List[string]{evil}, HeartbeatAt: evil, RestReason: &evil}}),
			"revoked": tokenTable(v, []api.Token{{ID: 1, Name: evil, Scopes: api.List[string]{"read"}, RevokedAt: &evil, CreatedAt: evil}}),
			"QUEUE":   queueTable([]api.Queue{{Name: evil, OldestReadyMS: &wait, P99MS: &rate, RatePerMin: &rate}}),
		} {
			out.Reset()
			v.show(table, "none")
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if !strings.Contains(out.String(), kept) && width >= 40 {
				t.Errorf("%d columns: %q is not in\n%s", width, kept, out)
			}
			notes := 0
			for _, row := range table.rows {
				if row.note != "" {
					notes++
				}
			}
			if want := 1 + len(table.rows) + notes; len(lines) != want {
				t.Errorf("%d columns: %d lines, want %d:\n%s", width, len(lines), want, out)
			}
			for _, line := range lines {
				if terminal.Width(line) > width || strings.ContainsAny(line, "\x1b\u202e\r\x07") {
					t.Errorf("%d columns: the line %q takes %d", width, line, terminal.Width(line))
				}
			}
		}
	}
}

// TestSessionStatus checks that the tables of sessions and attempts have the same word for one state.
func TestSessionStatus(t *testing.T) {
	t.Parallel()
	v, _, _ := testView(80)
	for _, tc := range []struct {
		last *api.LastAttempt
		want string
	}{
		{nil, "pending"},
		{&api.LastAttempt{}, "running"},
		{&api.LastAttempt{CancelRequested: true}, "killing"},
		{&api.LastAttempt{Done: true}, "error"},
		{&api.LastAttempt{Done: true, CancelRequested: true}, "killed"},
		{&api.LastAttempt{Done: true, Success: true}, "success"},
	} {
		if got := sessionTable(v, []api.Session{{LastAttempt: tc.last}}).rows[0].cells[1]; got != tc.want {
			t.Errorf("status of a session with %+v = %s, want %s", tc.last, got, tc.want)
		}
	}
}

// TestEmptyList checks that a list without rows says so, and nothing else.
func TestEmptyList(t *testing.T) {
	t.Parallel()
	v, out, hints := testView(80)
	v.show(attemptTable(v, nil), "There are no attempts.", "a hint")
	if got := out.String() + hints.String(); got != "There are no attempts.\n" {
		t.Errorf("shown %q", got)
	}
}

func TestRoughText(t *testing.T) {
	t.Parallel()
	for length, want := range map[time.Duration]string{
		0: "0 s", 59 * time.Second: "59 s", time.Minute: "1 min", 61 * time.Second: "1 min 1 s", 32*time.Hour + 56*time.Minute: "1 day 8 h",
		25 * time.Hour: "1 day 1 h", 48 * time.Hour: "2 days", 3*time.Hour + 59*time.Second: "3 h", 2400*time.Hour + 5: "100 days",
	} {
		if got := roughText(length); got != want {
			t.Errorf("roughText(%s) = %q, want %q", length, got, want)
		}
	}
}

func TestSinceTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.FixedZone("", 9*60*60))
	for text, want := range map[string]string{
		"12h": "2024-01-01T15:04:05+09:00", "7d": "2023-12-26T03:04:05+09:00", "1d 2h": "2024-01-01T01:04:05+09:00", "90m": "2024-01-02T01:34:05+09:00",
		"today": "2024-01-02T00:00:00+09:00", "yesterday": "2024-01-01T00:00:00+09:00", "02:30": "2024-01-02T02:30:00+09:00",
		"18:00": "2024-01-01T18:00:00+09:00", "2024-01-01": "2024-01-01T00:00:00+09:00", "2024-01-01 10:00": "2024-01-01T10:00:00+09:00",
		"2024-01-01 10:00:01": "2024-01-01T10:00:01+09:00", "2024-01-01 10:00:01 +0000": "2024-01-01T10:00:01Z",
		"2024-01-01T10:00:01Z": "2024-01-01T10:00:01Z", "1704067200": "2024-01-01T00:00:00Z",
	} {
		wanted, err := time.Parse(time.RFC3339, want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := sinceTime(text, now); !ok || !got.Equal(wanted) {
			t.Errorf("sinceTime(%q) = %s, %t, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "gestern", "0", "0h", "-1", "2024-13-45", "25:00", "h", "7", "2024", "20240101"} {
		if at, ok := sinceTime(text, now); ok {
			t.Errorf("sinceTime(%q) = %s, want none", text, at)
		}
	}
}

// The commands that show the next page of a list can be copied, whatever names they have.
func TestNextPage(t *testing.T) {
	t.Parallel()
	v, _, _ := testView(80)
	got := v.older(&listPage{command: []string{"sessions", "my project", "it's"}, shown: 2, size: 2, last: 4})
	if want := "Older ones: `trowel sessions 'my project' 'it'\\''s' --last-id 4`"; got != want {
		t.Errorf("older: %s, want %s", got, want)
	}
	for _, tc := range []struct {
		name   string
		bytes  int
		more   bool
		err    error
		asked  bool
		goesOn bool
	}{
		{"a small page that is not full", 1 << 20, true, nil, false, false},
		{"a large one, and nothing after it", 4 << 20, false, nil, true, false},
		{"a large one, and something after it", 4 << 20, true, nil, true, true},
		{"a large one, and no answer", 4 << 20, false, io.EOF, true, true},
	} {
		asked := false
		next := func() (bool, error) { asked = true; return tc.more, tc.err }
		got := v.older(&listPage{command: []string{"sessions"}, shown: 1, size: 2, last: 4, bytes: tc.bytes, next: next})
		if asked != tc.asked || (got != "") != tc.goesOn {
			t.Errorf("%s: asked %t, %q", tc.name, asked, got)
		}
	}
	f := attemptFilter{project: "my project", sinceText: "2024-01-01 10:00"}
	if got, want := f.again(newConsole(t).Call("attempts"), "attempts", "x"), `trowel attempts --project 'my project' --since '2024-01-01 10:00' --next x`; got != want {
		t.Errorf("again: %s, want %s", got, want)
	}
}

// TestBackfillShown checks that people on a terminal see one line for each session of a backfill, and in a dry run no ids
// of attempts that do not exist.
func TestBackfillShown(t *testing.T) {
	t.Parallel()
	started := &api.ScheduleAttemptCollection{Attempts: testAttempts()[2:]}
	for _, tc := range []struct {
		dryRun         bool
		stdout, stderr string
	}{
		{false, "SESSION              WORKFLOW  ATTEMPT\n2024-01-01 09:00:00  p/w             6\n", "\n1 session: each is started when the one before has ended.\nTimes are in"},
		{true, "SESSION              WORKFLOW\n2024-01-01 09:00:00  p/w\n", "\n1 session: each would be started when the one before has ended.\nTimes are in"},
	} {
		console := newConsole(t)
		env, stdout, stderr := console.Env("backfill", "1", "--from", "2024-01-01")
		env.Terminals.Stdout = true
		c, err := cmd.Read(env, console.Commands)
		if err != nil {
			t.Fatal(err)
		}
		if err := showBackfill(c, started, tc.dryRun); err != nil {
			t.Fatal(err)
		}
		if stdout.String() != tc.stdout || !strings.HasPrefix(stderr.String(), tc.stderr) {
			t.Errorf("dry run %t: %q and %q, want %q and %q...", tc.dryRun, stdout, stderr, tc.stdout, tc.stderr)
		}
	}
}

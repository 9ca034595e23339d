package td_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 8.7: which first values end the wait. Before each other look the query runs again as another job.
func TestWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows [][]any
		met  bool
		want string
	}{
		"no result":    {},
		"no rows":      {rows: [][]any{}},
		"null":         {rows: [][]any{{nil}}},
		"false":        {rows: [][]any{{false}}},
		"true":         {rows: [][]any{{true}}, met: true},
		"zero":         {rows: [][]any{{int64(0), true}}},
		"one":          {rows: [][]any{{int64(1)}}, met: true},
		"text":         {rows: [][]any{{"no"}}, met: true},
		"float":        {rows: [][]any{{0.0}}, met: true},
		"second row":   {rows: [][]any{{false}, {true}}},
		"no columns":   {rows: [][]any{{}}, want: "Got empty row in result of query (runtime)"},
		"list of none": {rows: [][]any{{[]any{}}}, met: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTask(t, td.Options{}, "td_wait>", param.Of("data", "q"), "interval", "1m")
			f.service.Rows = c.rows
			for range 3 {
				outcome, err := f.Run()
				if err != nil {
					f.check(t, outcome, err, c.want)
					return
				}
				if outcome.Again == nil {
					if !c.met {
						t.Error("the wait has ended")
					}
					f.check(t, outcome, err, "{}")
					return
				}
				f.State = outcome.Again.State
				if outcome.Again.After == time.Minute && outcome.Again.Job {
					t.Error("a job goes on while the task waits for the next look")
				}
			}
			if got := param.JSON(f.State); c.met || got != `{"__last_job_id":"1000","result":{"operation":{}}}` {
				t.Errorf("the wait has not ended, state %s", got)
			}
			f.service.Rows = [][]any{{true}}
			outcome, _, err := f.RunToEnd()
			f.check(t, outcome, err, "{}")
			if got := len(f.service.Jobs()); got != 2 {
				t.Errorf("%d jobs were begun, want 2", got)
			}
		})
	}
}

// Operators 8.7: the limits of the interval.
func TestWaitInterval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options  td.WaitOptions
		interval string
		pause    time.Duration
		want     string
	}{
		"default":       {pause: 30 * time.Second},
		"setting":       {options: td.WaitOptions{Poll: time.Hour}, pause: time.Hour},
		"small minimum": {options: td.WaitOptions{MinPoll: 2 * time.Second}, pause: 2 * time.Second},
		"own":           {interval: "1d 1s", pause: 24*time.Hour + time.Second},
		"too short":     {interval: "29s", want: "poll interval must be at least 30s and no greater than 2d (config)"},
		"too long":      {options: td.WaitOptions{MaxPoll: 90 * time.Minute}, interval: "2h", want: "poll interval must be at least 30s and no greater than 1h 30m (config)"},
		"no length":     {interval: "often", want: "Expected " + param.OptionalType("io.digdag.util.DurationParam") + ` for key 'interval' but got "often" (string) (config)`},
	} {
		f := newTask(t, td.Options{Wait: c.options}, "td_wait_table>", "t")
		if c.interval != "" {
			f.With("interval", c.interval)
		}
		f.service.Table("db.t")
		f.With("rows", 5)
		f.service.Rows = [][]any{{int64(4)}}
		var pauses []time.Duration
		var failure error
		for range 3 {
			outcome, err := f.Run()
			if failure = err; err != nil {
				break
			}
			f.State, pauses = outcome.Again.State, append(pauses, outcome.Again.After)
		}
		if c.want != "" {
			if operatortest.Message(failure) != c.want {
				t.Errorf("%s: error %q, want %q", name, operatortest.Message(failure), c.want)
			}
			continue
		}
		if diff := cmp.Diff([]time.Duration{0, time.Second, c.pause}, pauses); diff != "" || failure != nil {
			t.Errorf("%s: %v, pauses (-want +got):\n%s", name, failure, diff)
		}
	}
}

// Operators 8.8.
func TestWaitTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own         []any
		rows        [][]any
		query, want string
	}{
		"exists":         {own: []any{"td_wait_table>", "t"}, want: "{}"},
		"rows":           {own: []any{"td_wait_table>", "t", "rows", 5}, rows: [][]any{{int64(5)}}, query: `select count(*) from "t"`, want: "{}"},
		"rows with hive": {own: []any{"td_wait_table>", "o.t", "rows", "5", "engine", "hive"}, rows: [][]any{{int64(5)}}, query: "select count(*) from (select * from `o`.`t` limit 5) sub", want: "{}"},
		"empty":          {own: []any{"td_wait_table>", "t", "rows", 5}, rows: [][]any{}, want: "Got unexpected empty result for count job: 1000 (runtime)"},
		"two columns":    {own: []any{"td_wait_table>", "t", "rows", 5}, rows: [][]any{{int64(5), int64(6)}}, want: "Got unexpected result row size for count job: 2 (runtime)"},
		"text":           {own: []any{"td_wait_table>", "t", "rows", 5}, rows: [][]any{{"5"}}, want: "Got unexpected value type count job: STRING (runtime)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTask(t, td.Options{}, c.own...)
			f.service.Rows = c.rows
			outcome, err := f.Run()
			if err != nil || outcome.Again == nil || outcome.Again.After != 30*time.Second || outcome.Again.Job {
				t.Fatalf("Run = %+v, %v, want another look after 30 s", outcome.Again, err)
			}
			f.service.Table("db.t").Table("o.t")
			f.State = outcome.Again.State
			outcome, _, err = f.RunToEnd()
			f.check(t, outcome, err, c.want)
			if jobs := f.service.Jobs(); c.query != "" && (jobs[0].Form.Get("query") != c.query || jobs[0].Form.Has("scheduled_time")) {
				t.Errorf("query = %v", jobs[0].Form)
			}
		})
	}
	// The table of another database is looked for there.
	f := newTask(t, td.Options{}, "td_wait_table>", "o.t")
	f.service.Table("db.t")
	if outcome, err := f.Run(); err != nil || outcome.Again == nil {
		t.Errorf("Run = %+v, %v, want another look", outcome, err)
	}
}

package schedule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

const recordedCases = "../../conformance/cases"

// recordedCase has the parts of a case and of its golden that the tests need. The schedule of a workflow is
// in the configuration of its root task, the first of the list.
type recordedCase struct {
	Steps []struct {
		Op          string
		As          string
		SessionTime string `json:"session_time"`
	}
}

type recordedGolden struct {
	Attempts map[string]struct {
		Workflow string
		Tasks    []struct {
			Name   string
			Config *param.Map
		}
		Logs map[string]string
	}
}

var timezoneLine = regexp.MustCompile(`(?m)^timezone: *"?([^"\n]*)"?$`)

// TestRecordedVariables computes the session variables of all scheduled workflows whose output was
// recorded from Digdag, and puts them into the text that the tasks print.
func TestRecordedVariables(t *testing.T) {
	t.Parallel()
	goldens, err := filepath.Glob(filepath.Join(recordedCases, "*", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range goldens {
		compared += compareRecorded(t, filepath.Dir(file))
	}
	if compared < 43 {
		t.Errorf("%d recorded outputs were compared, want 43 or more", compared)
	}
}

func compareRecorded(t *testing.T, dir string) (compared int) {
	t.Helper()
	var golden recordedGolden
	readJSON(t, filepath.Join(dir, "golden.json"), &golden)
	var recorded recordedCase
	for name, attempt := range golden.Attempts {
		if len(attempt.Tasks) == 0 || len(attempt.Logs) == 0 {
			continue
		}
		config, _ := attempt.Tasks[0].Config.Get("schedule")
		rule, ok := config.(*param.Map)
		if !ok {
			continue
		}
		readJSON(t, filepath.Join(dir, "case.json"), &recorded)
		session := ""
		for _, step := range recorded.Steps {
			if step.Op == "start" && (step.As == name || step.As == "" && name == "a1") {
				session = step.SessionTime
			}
		}
		s, err := Parse(rule, recordedZone(t, filepath.Join(dir, attempt.Workflow+".dig")))
		if err != nil {
			t.Errorf("%s: Parse(%s): %v", dir, param.JSON(rule), err)
			continue
		}
		variables := variablesOf(s, at(t, session))
		for _, task := range attempt.Tasks {
			echo, _ := task.Config.Get("echo>")
			template, _ := echo.(string)
			want := variables.Replace(template)
			if template == "" || strings.Contains(want, "${") {
				continue // needs other variables
			}
			compared++
			if diff := cmp.Diff(attempt.Logs[task.Name], want); diff != "" {
				t.Errorf("%s: output of %s at %s (-recorded +computed):\n%s", dir, task.Name, session, diff)
			}
		}
	}
	return compared
}

func recordedZone(t *testing.T, dig string) Zone {
	t.Helper()
	source, err := os.ReadFile(dig)
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	if match := timezoneLine.FindSubmatch(source); match != nil {
		name = string(match[1])
	}
	return zone(t, name)
}

// variablesOf replaces the session variables of language P12 and P14 that come from a schedule.
func variablesOf(s *Schedule, session time.Time) *strings.Replacer {
	var pairs []string
	for prefix, instant := range map[string]time.Time{
		"session_":      session.In(s.Zone().Location),
		"last_session_": s.Last(session).Session,
		"next_session_": s.Next(session).Session,
	} {
		for name, layout := range map[string]string{
			"time": "2006-01-02T15:04:05-07:00", "date": "2006-01-02", "date_compact": "20060102",
			"local_time": "2006-01-02 15:04:05", "tz_offset": "-0700",
		} {
			pairs = append(pairs, "${"+prefix+name+"}", instant.Format(layout))
		}
		pairs = append(pairs, "${"+prefix+"unixtime}", strconv.FormatInt(instant.Unix(), 10))
	}
	return strings.NewReplacer(pairs...)
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
}

// TestRecordedTimes checks what recorded cases show of schedule records. Their schedules are in uploads.
func TestRecordedTimes(t *testing.T) {
	t.Parallel()
	const (
		tokyo  = "Asia/Tokyo"
		future = `{"daily>":"10:00:00","start":"2291-02-01"}`
		over   = "9999-01-01T00:00:00+00:00"
	)
	tests := []struct{ recorded, block, zone, function, input, session, run string }{
		{"rest-schedule-list", future, tokyo, "first", "2025-01-01T00:00:00Z", "2291-02-01T00:00:00+09:00", "2291-02-01T01:00:00Z"},
		{"rest-schedule-list", `{"hourly>":"30:00","start":"2291-02-01"}`, "UTC", "first", "2025-01-01T00:00:00Z", "2291-02-01T00:00:00+00:00", "2291-02-01T00:30:00Z"},
		{"rest-schedule-skip", future, tokyo, "first", "2291-02-03T10:00:00+09:00", "2291-02-03T00:00:00+09:00", "2291-02-03T01:00:00Z"},
		{"rest-schedule-skip", future, tokyo, "first", "2291-02-03T10:00:01+09:00", "2291-02-04T00:00:00+09:00", "2291-02-04T01:00:00Z"},
		{"rest-schedule-skip", future, tokyo, "first", "2291-02-03T02:00:00Z", "2291-02-04T00:00:00+09:00", "2291-02-04T01:00:00Z"},
		{"rest-push-schedule-from", `{"daily>":"10:00:00"}`, tokyo, "first", "2291-02-06T10:00:00Z", "2291-02-07T00:00:00+09:00", "2291-02-07T01:00:00Z"},
		{"rest-push-schedule-from", `{"daily>":"10:00:00"}`, tokyo, "first", "2291-03-01T00:59:59Z", "2291-03-01T00:00:00+09:00", "2291-03-01T01:00:00Z"},
		{"rest-push-schedule-from", `{"monthly>":"3,09:00:00"}`, "UTC", "first", "2291-02-06T10:00:00Z", "2291-03-03T00:00:00+00:00", "2291-03-03T09:00:00Z"},
		{"rest-truncated-session-time", `{"daily>":"10:00:00","start":"2023-12-01","end":"2024-02-01"}`, tokyo, "first", "2024-01-15T09:59:59+09:00", "2024-01-15T00:00:00+09:00", "2024-01-15T01:00:00Z"},
		{"rest-truncated-session-time", `{"daily>":"10:00:00","start":"2023-12-01","end":"2024-02-01"}`, tokyo, "first", "2024-01-15T10:00:01+09:00", "2024-01-16T00:00:00+09:00", "2024-01-16T01:00:00Z"},
		{"rest-attempt-of-scheduled-workflow", `{"daily>":"10:00:00","start":"2024-01-01","end":"2024-02-01"}`, tokyo, "last", "2024-01-15T12:34:56Z", "2024-01-15T00:00:00+09:00", "2024-01-15T01:00:00Z"},
		{"rest-attempt-of-scheduled-workflow", `{"daily>":"10:00:00","start":"2024-01-01","end":"2024-02-01"}`, tokyo, "next", "2024-01-15T12:34:56Z", "2024-01-16T00:00:00+09:00", "2024-01-16T01:00:00Z"},
		{"schedule-run-time-has-passed", future, tokyo, "last", "2291-03-01T00:00:00+09:00", "2291-02-28T00:00:00+09:00", "2291-02-28T01:00:00Z"},
		{"schedule-changed-by-revision", `{"cron>":"0 */8 * * *","end":"2024-01-02"}`, "UTC", "next", "2024-01-02T00:00:00Z", "2024-01-02T08:00:00+00:00", "2024-01-02T08:00:00Z"},
		{"schedule-changed-by-revision", `{"cron>":"0 */8 * * *","end":"2024-01-02"}`, "UTC", "next", "2024-01-02T16:00:00Z", over, "9999-01-01T00:00:00Z"},
		{"schedule-changed-by-revision", `{"cron>":"0 */8 * * *","end":"2024-01-03"}`, "UTC", "next", "2024-01-02T16:00:00Z", "2024-01-03T00:00:00+00:00", "2024-01-03T00:00:00Z"},
		{"schedule-removed-and-added-again", `{"daily>":"11:00:00","end":"2024-01-03"}`, "UTC", "first", "2024-01-01T11:00:00Z", "2024-01-01T00:00:00+00:00", "2024-01-01T11:00:00Z"},
		{"schedule-disabled-and-enabled", `{"daily>":"10:00:00","end":"2024-01-04"}`, "UTC", "first", "2024-01-02T10:00:01Z", "2024-01-03T00:00:00+00:00", "2024-01-03T10:00:00Z"},
		{"schedule-bad-values-when-due", `{"daily>":"10:00:00","end":"2024-01-02"}`, "UTC", "last", "2024-01-02T00:00:00Z", "2024-01-01T00:00:00+00:00", "2024-01-01T10:00:00Z"},
		{"schedule-skip-delayed-by", `{"daily>":"10:00:00","end":"2024-01-05"}`, "UTC", "next", "2024-01-05T00:00:00Z", over, "9999-01-01T00:00:00Z"},
		{"cli check-schedule", `{"daily>":"07:00:00","start":"2090-01-01"}`, tokyo, "first", "2025-01-01T00:00:00Z", "2090-01-01T00:00:00+09:00", "2089-12-31T22:00:00Z"},
		{"cli check-schedule", `{"hourly>":"30:00","start":"2090-01-01"}`, tokyo, "first", "2025-01-01T00:00:00Z", "2090-01-01T00:00:00+09:00", "2089-12-31T15:30:00Z"},
		{"cli check-time-zone", `{"cron>":"0 12 * * *","start":"2090-01-01"}`, "", "first", "2025-01-01T00:00:00Z", "2090-01-01T12:00:00+00:00", "2090-01-01T12:00:00Z"},
		{"cli reschedule", `{"daily>":"07:00:00","start":"2090-01-01"}`, tokyo, "first", "2092-01-01T12:34:56Z", "2092-01-02T00:00:00+09:00", "2092-01-01T22:00:00Z"},
		{"cli reschedule", `{"daily>":"07:00:00","start":"2090-01-01"}`, tokyo, "first", "2093-12-31T16:00:00Z", "2094-01-01T00:00:00+09:00", "2093-12-31T22:00:00Z"},
		{"cli backfill", `{"daily>":"07:00:00"}`, tokyo, "first", "2024-01-15T10:00:00+09:00", "2024-01-16T00:00:00+09:00", "2024-01-15T22:00:00Z"},
		{"cli backfill", `{"daily>":"07:00:00"}`, tokyo, "last", "2024-01-16T00:00:00+09:00", "2024-01-15T00:00:00+09:00", "2024-01-14T22:00:00Z"},
	}
	for _, test := range tests {
		t.Run(test.recorded+" "+test.function+" "+test.input, func(t *testing.T) {
			t.Parallel()
			got := call(t, parse(t, test.block, test.zone), test.function, at(t, test.input))
			session, run := text(got.Session), got.Run.UTC().Format(time.RFC3339)
			if session != test.session || run != test.run {
				t.Errorf("%s(%s) = %s, run %s; want %s, run %s", test.function, test.input, session, run, test.session, test.run)
			}
		})
	}
}

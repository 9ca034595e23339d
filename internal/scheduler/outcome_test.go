package scheduler_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/scheduler"
)

// Sessions that do not start are logged with the names that people know their schedule by. Sessions that start have
// log entries of their attempts.
func TestDecisionsAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	push := scheduler.Push{From: tokyo("2024-03-10 10:30:00")}
	workflows := map[string]string{
		"late":  `{"schedule": {"hourly>": "00:00", "skip_delayed_by": "30m"}, "+a": {"echo>": "hi"}}`,
		"wrong": `{"schedule": {"hourly>": "00:00", "skip_on_overtime": "maybe"}, "+a": {"echo>": "hi"}}`,
	}
	play(t, workflows, push, 1, func(c *simulation) { c.log = &log; c.flusher.attempts, c.flusher.length = 1, time.Minute }, func(*simulation) { pass(time.Hour - time.Second) })
	for _, line := range []string{
		`level=INFO msg="session of a schedule skipped" project=p workflow=late session_time=2024-03-10T02:00:00.000Z reason="skip_delayed_by`,
		`level=WARN msg="session of a schedule failed" project=p workflow=wrong session_time=2024-03-10T02:00:00.000Z reason="Expected 'true'`,
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log has no %s:\n%s", line, &log)
		}
	}
	if strings.Contains(log.String(), "started") {
		t.Errorf("starts are told twice:\n%s", &log)
	}
}

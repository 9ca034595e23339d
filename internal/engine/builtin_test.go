package engine_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// scopeOf returns what a task sees that exports and wants nothing.
func scopeOf(t *testing.T, attempt trowel.Attempt, at time.Time, export *param.Map) *param.Map {
	t.Helper()
	_, setting := testSetting()
	setting.Session.Time = at
	setting.Revision.Params = nil
	root := &trowel.Task{ID: 1, FullName: "+w", State: trowel.TaskReady, Local: param.Of("op>", 1), Export: export}
	img, err := engine.NewTaskTree(attempt, setting, []*trowel.Task{root})
	if err != nil {
		t.Fatal(err)
	}
	return img.Scope(1)
}

func pick(m *param.Map, keys ...string) map[string]any {
	picked := map[string]any{}
	for _, key := range keys {
		if value, ok := m.Get(key); ok {
			picked[key] = value
		}
	}
	return picked
}

// P12.
func TestBuiltins(t *testing.T) {
	t.Parallel()
	at := time.Date(2016, 1, 30, 8, 30, 0, 0, time.UTC)
	for _, row := range []struct {
		zone string
		want map[string]any
	}{
		{"America/Los_Angeles", map[string]any{
			"timezone": "America/Los_Angeles", "session_time": "2016-01-30T00:30:00-08:00", "session_date": "2016-01-30",
			"session_date_compact": "20160130", "session_local_time": "2016-01-30 00:30:00", "session_tz_offset": "-0800",
		}},
		{"UTC", map[string]any{
			"timezone": "UTC", "session_time": "2016-01-30T08:30:00+00:00", "session_date": "2016-01-30",
			"session_date_compact": "20160130", "session_local_time": "2016-01-30 08:30:00", "session_tz_offset": "+0000",
		}},
		{"+09:00", map[string]any{
			"timezone": "+09:00", "session_time": "2016-01-30T17:30:00+09:00", "session_date": "2016-01-30",
			"session_date_compact": "20160130", "session_local_time": "2016-01-30 17:30:00", "session_tz_offset": "+0900",
		}},
		{"Asia/Kathmandu", map[string]any{
			"timezone": "Asia/Kathmandu", "session_time": "2016-01-30T14:15:00+05:45", "session_date": "2016-01-30",
			"session_date_compact": "20160130", "session_local_time": "2016-01-30 14:15:00", "session_tz_offset": "+0545",
		}},
	} {
		t.Run(row.zone, func(t *testing.T) {
			t.Parallel()
			got := scopeOf(t, trowel.Attempt{ID: 7, Zone: row.zone}, at, param.Of("session_time", "mine", "task_name", "mine"))
			maps.Copy(row.want, map[string]any{
				"project_id": int64(1), "session_id": int64(4), "attempt_id": int64(7), "session_unixtime": int64(1454142600),
				"session_uuid": "11111111-2222-3333-4444-555555555555", "task_name": "+w",
			})
			keys := []string{
				"timezone", "project_id", "session_id", "session_uuid", "session_time", "session_date", "session_date_compact",
				"session_local_time", "session_tz_offset", "session_unixtime", "attempt_id", "task_name",
			}
			if diff := cmp.Diff(row.want, pick(got, keys...)); diff != "" {
				t.Errorf("built-ins of zone %s (-want +got):\n%s", row.zone, diff)
			}
		})
	}
}

// P8: built-ins win over whatever was stored under their names. P13: the name of an attempt.
func TestRetryAttemptName(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		attempt string
		export  *param.Map
		want    map[string]any
	}{
		{"unnamed", "", nil, map[string]any{}},
		{"unnamed, with another source", "", param.Of("retry_attempt_name", "mine"), map[string]any{"retry_attempt_name": "mine"}},
		{"named", "again", param.Of("retry_attempt_name", "mine"), map[string]any{"retry_attempt_name": "again"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := scopeOf(t, trowel.Attempt{ID: 7, Zone: "UTC", Name: row.attempt}, time.Unix(0, 0), row.export)
			if diff := cmp.Diff(row.want, pick(got, "retry_attempt_name")); diff != "" {
				t.Errorf("retry_attempt_name (-want +got):\n%s", diff)
			}
		})
	}
}

// P14, P15.
func TestDerivedTimes(t *testing.T) {
	t.Parallel()
	parts := func(prefix, date, compact, local, offset string, unix any) map[string]any {
		return map[string]any{
			prefix + "_date": date, prefix + "_date_compact": compact, prefix + "_local_time": local,
			prefix + "_tz_offset": offset, prefix + "_unixtime": unix,
		}
	}
	for _, row := range []struct {
		name   string
		prefix string
		zone   string
		params *param.Map
		want   map[string]any
	}{
		{"no last session", "last_session", "UTC", nil, map[string]any{}},
		{
			"last session", "last_session", "Asia/Tokyo", param.Of("last_session_time", "2016-01-29T00:00:00+09:00"),
			parts("last_session", "2016-01-29", "20160129", "2016-01-29 00:00:00", "+0900", int64(1453993200)),
		},
		{
			"next session in another zone", "next_session", "America/Los_Angeles", param.Of("next_session_time", "2016-07-01T00:00:00+00:00"),
			parts("next_session", "2016-06-30", "20160630", "2016-06-30 17:00:00", "-0700", int64(1467331200)),
		},
		{"a text that is no time", "next_session", "UTC", param.Of("next_session_time", "tomorrow"), map[string]any{}},
		{"a number", "last_session", "UTC", param.Of("last_session_time", 5), map[string]any{}},
		{
			"no executed session: empty, with the offset of the epoch", "last_executed_session", "Europe/London", nil,
			parts("last_executed_session", "", "", "", "+0100", ""),
		},
		{
			"an executed session", "last_executed_session", "UTC", param.Of("last_executed_session_time", "2016-01-29T00:00:00+00:00"),
			parts("last_executed_session", "2016-01-29", "20160129", "2016-01-29 00:00:00", "+0000", int64(1454025600)),
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			scope := scopeOf(t, trowel.Attempt{ID: 7, Zone: row.zone, Params: row.params}, time.Unix(1454142600, 0), nil)
			got := pick(scope, row.prefix+"_date", row.prefix+"_date_compact", row.prefix+"_local_time", row.prefix+"_tz_offset", row.prefix+"_unixtime")
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.prefix, diff)
			}
			if row.prefix == "last_executed_session" && row.params == nil {
				if at, ok := scope.Get("last_executed_session_time"); at != "" || !ok {
					t.Errorf("last_executed_session_time = %v, want an empty text", at)
				}
			}
		})
	}
}

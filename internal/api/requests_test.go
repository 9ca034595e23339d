package api_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// Requests are read key by key, so a field may be forgotten: each request with a value in every field must come back whole.
func TestRequestsAreReadWhole(t *testing.T) {
	t.Parallel()
	at, n, name := api.Instant{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, 3, "again"
	local := &api.LocalOrInstant{Time: at.Time}
	for _, request := range []any{
		&api.AttemptRequest{
			WorkflowID: 1, SessionTime: at, RetryAttemptName: &name, Params: param.Of("k", "v"),
			Resume: &api.Resume{Mode: api.ResumeFrom, AttemptID: 2, From: "+w+a"},
		},
		&api.ScheduleSkipRequest{Count: &n, FromTime: &at, NextTime: local, NextRunTime: &at, DryRun: true},
		&api.ScheduleBackfillRequest{FromTime: at, AttemptName: name, Count: &n, DryRun: true},
		&api.ScheduleEnableRequest{SkipSchedule: true, NextTime: local},
		&api.SetSecretRequest{Value: "v"},
	} {
		kind := reflect.TypeOf(request).Elem()
		for field, value := range reflect.ValueOf(request).Elem().Fields() {
			if value.IsZero() {
				t.Errorf("this test leaves %s.%s empty: give it a value, to see whether UnmarshalJSON reads it", kind.Name(), field.Name)
			}
		}
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(kind).Interface()
		if err := json.Unmarshal(text, got); err != nil {
			t.Errorf("%s is not read: %v", text, err)
			continue
		}
		if diff := cmp.Diff(request, got, cmp.Comparer(func(a, b *param.Map) bool { return param.Equal(a, b) })); diff != "" {
			t.Errorf("%s is read by halves (-want +got):\n%s", kind.Name(), diff)
		}
	}
}

package schedule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

func TestParseSLA(t *testing.T) { // S43, S46, S48
	t.Parallel()
	tasks := param.Of("+notice", param.Of("echo>", "late"))
	tests := []struct {
		name   string
		config *param.Map
		want   *schedule.SLA
		err    string
	}{
		{
			"time", param.Of("time", "02:00", "+notice", param.Of("echo>", "late")),
			&schedule.SLA{ByClock: true, Clock: 2 * time.Hour, Alert: true, Tasks: tasks}, "",
		},
		{
			"duration with seconds", param.Of("duration", "00:30:05", "alert", false, "fail", "true"),
			&schedule.SLA{Clock: 30*time.Minute + 5*time.Second, Fail: true, Tasks: param.New()}, "",
		},
		{
			"no range", param.Of("time", "99:-99"),
			&schedule.SLA{ByClock: true, Clock: 99*time.Hour - 99*time.Minute, Alert: true, Tasks: param.New()}, "",
		},
		{
			"alert and fail that are no booleans", param.Of("time", "1:00", "alert", "loud", "fail", param.List{}),
			&schedule.SLA{ByClock: true, Clock: time.Hour, Alert: true, Tasks: param.New()}, "",
		},
		{"neither", param.Of("alert", true), nil, "SLA must be specified using either the 'time' or 'duration' option"},
		{"both", param.Of("time", "1:00", "duration", "1:00"), nil, "SLA must be specified using either the 'time' or 'duration' option"},
		{"a time of one part", param.Of("time", 2), nil, "SLA time option needs to be HH:MM or HH:MM:SS format: Optional.of(2)"},
		{"a time of text", param.Of("time", "a:b"), nil, "SLA time option needs to be HH:MM or HH:MM:SS format: Optional.of(a:b)"},
		{"a duration with a unit", param.Of("duration", "5m"), nil, "SLA duration option needs to be HH:MM or HH:MM:SS format: Optional.absent()"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := schedule.ParseSLA(test.config)
			if text := errorText(err); text != test.err {
				t.Fatalf("ParseSLA: error %q, want %q", text, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ParseSLA (-want +got):\n%s", diff)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

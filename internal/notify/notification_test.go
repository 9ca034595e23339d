package notify_test

import (
	"testing"
	"time"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/param"
)

func setting() *trowel.AttemptContext {
	return &trowel.AttemptContext{
		Project:  trowel.Project{ID: 1, Name: "p"},
		Revision: trowel.Revision{ID: 9, Name: "r"},
		Workflow: trowel.Workflow{ID: 2, Name: "w"},
		Session:  trowel.Session{ID: 3, UUID: "21b98f61", Time: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
}

func at() time.Time { return time.Date(2024, 1, 2, 12, 4, 5, 999, time.FixedZone("", 9*60*60)) }

// Server 7.1: keys, their order, numbers and nulls.
func TestPayload(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("Asia/Tokyo", 9*60*60)
	for _, c := range []struct {
		name string
		n    notify.Notification
		want string
	}{
		{
			"task", notify.OfTask(at(), "Workflow session attempt failed", &trowel.Lease{AttemptID: 4, FullName: "+w^failure-alert", Zone: time.UTC, Context: setting()}),
			`{"timestamp":"2024-01-02T03:04:05Z","message":"Workflow session attempt failed","site_id":0,"project_id":1,` +
				`"project_name":"p","workflow_name":"w","revision":"r","attempt_id":4,"session_id":3,"task_name":"+w^failure-alert",` +
				`"timezone":"UTC","session_uuid":"21b98f61","session_time":"2024-01-01T00:00:00+00:00","workflow_definition_id":2}`,
		},
		{
			"zone", notify.OfTask(at(), "m", &trowel.Lease{AttemptID: 4, FullName: "+w+a", Zone: tokyo, Context: setting()}),
			`{"timestamp":"2024-01-02T03:04:05Z","message":"m","site_id":0,"project_id":1,` +
				`"project_name":"p","workflow_name":"w","revision":"r","attempt_id":4,"session_id":3,"task_name":"+w+a",` +
				`"timezone":"Asia/Tokyo","session_uuid":"21b98f61","session_time":"2024-01-01T09:00:00+09:00","workflow_definition_id":2}`,
		},
		{
			"killed attempt", notify.OfAttempt(at(), notify.MessageAttemptTimeout, 4, setting()),
			`{"timestamp":"2024-01-02T03:04:05Z","message":"Workflow execution timeout","site_id":0,"project_id":1,` +
				`"project_name":"p","workflow_name":"w","revision":"r","attempt_id":4,"session_id":3,"task_name":null,` +
				`"timezone":null,"session_uuid":null,"session_time":null,"workflow_definition_id":2}`,
		},
		{
			"nothing known", notify.OfTask(at(), "m", &trowel.Lease{}),
			`{"timestamp":"2024-01-02T03:04:05Z","message":"m","site_id":0,"project_id":null,` +
				`"project_name":null,"workflow_name":null,"revision":null,"attempt_id":null,"session_id":null,"task_name":null,` +
				`"timezone":null,"session_uuid":null,"session_time":null,"workflow_definition_id":null}`,
		},
	} {
		if got := param.JSON(c.n.Payload()); got != c.want {
			t.Errorf("%s: payload = %s, want %s", c.name, got, c.want)
		}
	}
}

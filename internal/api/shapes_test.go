package api_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// shapes are documents as Digdag writes them, from server 2.3 and from recordings.
func shapes(t *testing.T) map[string]any {
	t.Helper()
	return map[string]any{
		`{"status":"running","id":"1","index":1,"project":{"id":"1","name":"p"},"workflow":{"name":"w","id":"1"},` +
			`"sessionId":"1","sessionUuid":"21b98f61-0000-4000-8000-000000000000","sessionTime":"2024-01-01T00:00:00+00:00",` +
			`"retryAttemptName":null,"done":false,"success":false,"cancelRequested":false,"params":{"z":1,"a":{"y":null,` +
			`"b":[1,2.5,"x",true,{}]},"big":12345678901234567890},"createdAt":"2024-01-02T03:04:05Z","finishedAt":null}`: &api.Attempt{},
		`{"id":"1","name":"p","revision":"r1","createdAt":"2024-01-02T03:04:05Z","updatedAt":"2024-01-02T03:04:05Z",` +
			`"deletedAt":null,"archiveType":"db","archiveMd5":"jLRpyUChql91xNxDlwdk+Q=="}`: &api.Project{},
		`{"revisions":[{"revision":"r2","createdAt":"2024-01-02T03:04:05Z","archiveType":"db",` +
			`"archiveMd5":"jLRpyUChql91xNxDlwdk+Q==","userInfo":{}},{"revision":"r1","createdAt":"2024-01-02T03:04:05Z",` +
			`"archiveType":"none","archiveMd5":null,"userInfo":null}]}`: &api.RevisionCollection{},
		`{"id":"1","name":"main","project":{"id":"1","name":"p"},"revision":"r2","timezone":"UTC",` +
			`"config":{"+a":{"echo>":"<hi> & é"}}}`: &api.Workflow{},
		`{"project":{"id":"1","name":"p"},"revision":"r1","sessionTime":"2024-01-15T00:00:00+09:00","timezone":"Asia/Tokyo"}`: &api.WorkflowSessionTime{},
		`{"schedules":[{"id":"1","project":{"id":"1","name":"p"},"workflow":{"id":"2","name":"main"},` +
			`"nextRunTime":"2291-02-01T01:00:00Z","nextScheduleTime":"2291-02-01T00:00:00+09:00","disabledAt":null}]}`: &api.ScheduleCollection{},
		`{"id":"1","project":{"id":"1","name":"p"},"workflow":{"id":"2","name":"main"},"nextRunTime":"2291-02-03T01:00:00Z",` +
			`"nextScheduleTime":"2291-02-03T00:00:00+09:00","createdAt":"2024-01-02T03:04:05Z",` +
			`"updatedAt":"2024-01-02T03:04:05Z","disabledAt":null}`: &api.ScheduleSummary{},
		`{"id":"1","project":{"id":"1","name":"p"},"workflow":{"id":"2","name":"main"},"attempts":[]}`: &api.ScheduleAttemptCollection{},
		`{"id":"3","project":{"id":"1","name":"p"},"workflow":{"name":"main","id":null},"sessionUuid":"u",` +
			`"sessionTime":"2024-01-15T00:00:00+00:00","lastAttempt":{"id":"4","retryAttemptName":"x","done":true,"success":true,` +
			`"cancelRequested":false,"params":{},"createdAt":"2024-01-02T03:04:05Z","finishedAt":"2024-01-02T03:04:05Z"}}`: &api.Session{},
		`{"sessions":[]}`: &api.SessionCollection{},
		`{"id":"2","fullName":"+main+a","parentId":"1","config":{"echo>":"x"},"upstreams":["1","9007199254740993"],"isGroup":false,` +
			`"state":"error","cancelRequested":false,"exportParams":{},"storeParams":{},"stateParams":{},` +
			`"updatedAt":"2024-01-02T03:04:05Z","retryAt":null,"startedAt":"2024-01-02T03:04:05Z",` +
			`"error":{"message":"m","stacktrace":"s"}}`: &api.Task{},
		`{"files":[{"fileName":"+main+a@0.a.log.gz","fileSize":20,"taskName":"+main+a","fileTime":"2024-01-02T03:04:05Z",` +
			`"agentId":"a","direct":null},{"fileName":"x","fileSize":1,"taskName":"+b","fileTime":"2024-01-02T03:04:05Z",` +
			`"agentId":"a","direct":"http://x/?a=1&b=2"}]}`: &api.LogFileCollection{},
		`{"key":"k","project":{"id":"1","name":"p"}}`: &api.Secret{},
		`{"secrets":[{"key":"k"}]}`:                   &api.SecretList{},
		`{"version":"0.10.6"}`:                        &api.Version{},
		`{"serverVersion":"0.10.6","upgradeRecommended":false,"apiCompatible":true}`:     &api.VersionCheck{},
		`{"message":null,"status":400}`:                                                  &api.Error{},
		`{"count":2,"fromTime":null,"nextTime":null,"nextRunTime":null,"dryRun":true}`:   &api.ScheduleSkipRequest{},
		`{"fromTime":"2024-01-02T03:04:05Z","attemptName":"n","count":3,"dryRun":false}`: &api.ScheduleBackfillRequest{},
		`{"skipSchedule":true,"nextTime":"2291-04-01T00:00:00"}`:                         &api.ScheduleEnableRequest{},
		`{"value":""}`: &api.SetSecretRequest{},
		`{"workflowId":"5","sessionTime":"2024-01-02T03:04:05Z","retryAttemptName":"r","resume":{"mode":"from",` +
			`"attemptId":"7","from":"+a"},"params":{}}`: &api.AttemptRequest{},
	}
}

// server 2.3: each document has all its fields in Digdag's order, and comes back as it was.
func TestShapesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for text, into := range shapes(t) {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Errorf("read %s: %v", text, err)
			continue
		}
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(into); err != nil {
			t.Errorf("write %T: %v", into, err)
		}
		if diff := cmp.Diff(text+"\n", b.String()); diff != "" {
			t.Errorf("%T came back changed (-want +got):\n%s", into, diff)
		}
	}
}

// server 2.2: ids may be numbers; unknown fields are ignored; direct may be an object (2.3).
func TestReadingIsLenient(t *testing.T) {
	t.Parallel()
	var project api.Project
	if err := json.Unmarshal([]byte(`{"id":12,"name":"p","new":{"a":[1]}}`), &project); err != nil || project.ID != 12 {
		t.Errorf("project = %+v, %v; want id 12", project, err)
	}
	var file api.LogFile
	if err := json.Unmarshal([]byte(`{"direct":{"url":"http://x"}}`), &file); err != nil || *file.DirectURL != "http://x" {
		t.Errorf("log file = %+v, %v; want the direct URL", file, err)
	}
}

// server 2.2: lists are never null.
func TestNilListIsEmpty(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(api.TaskCollection{})
	if err != nil || string(text) != `{"tasks":[]}` {
		t.Errorf("no tasks = %s, %v", text, err)
	}
}

// server 2.2: times are cut off at the second, and offset zero is +00:00.
func TestTimesAreCutOff(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 15, 0, 0, 0, 987654321, time.FixedZone("", 9*3600))
	if got := (api.Instant{Time: at}).String(); got != "2024-01-14T15:00:00Z" {
		t.Errorf("instant = %s", got)
	}
	if got := (api.OffsetTime{Time: at.UTC()}).String(); got != "2024-01-14T15:00:00+00:00" {
		t.Errorf("offset time = %s", got)
	}
	if api.OptInstant(time.Time{}) != nil || api.OptID(0) != nil {
		t.Error("nothing is not null")
	}
}

// server 2.2: what a request for an attempt may look like, and what is refused.
func TestAttemptRequest(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	name, five := "r", "5"
	tests := []struct {
		name, body string
		want       *api.AttemptRequest // nil: refused
	}{
		{"mode twice", `{"workflowId":5,"sessionTime":"2024-01-01T09:00:00.5+09:00","params":{},
			"resume":{"mode":"failed","mode":"failed","attemptId":"7"},"nothing":{"known":[1]}}`, &api.AttemptRequest{
			WorkflowID: 5, SessionTime: api.Instant{Time: at}, Params: param.New(),
			Resume: &api.Resume{Mode: api.ResumeFailed, AttemptID: 7},
		}},
		{"last key counts", `{"workflowId":"4","workflowId":"5","sessionTime":"2024-01-01T00:00Z","params":{},"retryAttemptName":"r"}`, &api.AttemptRequest{
			WorkflowID: 5, SessionTime: api.Instant{Time: at}, Params: param.New(), RetryAttemptName: &name,
		}},
		{"name as number", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00+00:00[UTC]","params":{},"retryAttemptName":5}`, &api.AttemptRequest{
			WorkflowID: 5, SessionTime: api.Instant{Time: at}, Params: param.New(), RetryAttemptName: &five,
		}},
		{"nulls", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{},"retryAttemptName":null,"resume":null}`, &api.AttemptRequest{
			WorkflowID: 5, SessionTime: api.Instant{Time: at}, Params: param.New(),
		}},
		{"null", `null`, nil},
		{"list", `[]`, nil},
		{"empty", `{}`, nil},
		{"no params", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z"}`, nil},
		{"null params", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":null}`, nil},
		{"text as params", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":"x"}`, nil},
		{"no time", `{"workflowId":"5","params":{}}`, nil},
		{"number as time", `{"workflowId":"5","sessionTime":1704067200,"params":{}}`, nil},
		{"date alone", `{"workflowId":"5","sessionTime":"2024-01-01","params":{}}`, nil},
		{"no offset", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00","params":{}}`, nil},
		{"bad month", `{"workflowId":"5","sessionTime":"2024-13-01T00:00:00Z","params":{}}`, nil},
		{"text as id", `{"workflowId":"abc","sessionTime":"2024-01-01T00:00:00Z","params":{}}`, nil},
		{"object as id", `{"workflowId":{"id":1},"sessionTime":"2024-01-01T00:00:00Z","params":{}}`, nil},
		{"object as name", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{},"retryAttemptName":{}}`, nil},
		{"text as resume", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{},"resume":"failed"}`, nil},
		{"unknown mode", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{},"resume":{"mode":"other","attemptId":"1"}}`, nil},
		{"no mode", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{},"resume":{"attemptId":"1"}}`, nil},
		{"no pattern", `{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{},"resume":{"mode":"from","attemptId":"1"}}`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got api.AttemptRequest
			err := json.Unmarshal([]byte(test.body), &got)
			if (err == nil) != (test.want != nil) {
				t.Fatalf("read: %v, want refusal %t", err, test.want == nil)
			}
			if test.want == nil {
				return
			}
			sameTime := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
			sameMap := cmp.Comparer(func(a, b *param.Map) bool { return a.Equal(b) })
			if diff := cmp.Diff(*test.want, got, sameTime, sameMap); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// server 2.2, 2.6.5: requests about schedules that are refused.
func TestScheduleRequestsRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `null`, `{"nextTime":"2291-02-03","dryRun":true}`, `{"nextTime":"soon","dryRun":true}`, `{"nextTime":5,"dryRun":true}`,
		`{"fromTime":"2291-02-01","count":1,"dryRun":true}`, `{"fromTime":"2291-02-01T00:00:00Z","count":"many","dryRun":true}`,
		`{"nextTime":"2291-02-03T00:00:00","dryRun":"perhaps"}`,
	} {
		if err := json.Unmarshal([]byte(body), new(api.ScheduleSkipRequest)); err == nil {
			t.Errorf("skip %s was accepted", body)
		}
	}
	for _, body := range []string{`{}`, `{"attemptName":"x","dryRun":true}`, `{"fromTime":"2291-02-03T00:00:00Z","dryRun":true}`} {
		if err := json.Unmarshal([]byte(body), new(api.ScheduleBackfillRequest)); err == nil {
			t.Errorf("backfill %s was accepted", body)
		}
	}
	if err := json.Unmarshal([]byte(`{"skipSchedule":"x"}`), new(api.ScheduleEnableRequest)); err == nil {
		t.Error("enable with a text as skipSchedule was accepted")
	}
	if err := json.Unmarshal([]byte(`null`), new(api.ScheduleEnableRequest)); err != nil {
		t.Errorf("enable without options: %v", err)
	}
	var count api.ScheduleSkipRequest
	if err := json.Unmarshal([]byte(`{"count":"6","fromTime":"2024-01-01T00:00:00Z","dryRun":false}`), &count); err != nil || *count.Count != 6 {
		t.Errorf("skip with a count as text: %+v, %v", count, err)
	}
}

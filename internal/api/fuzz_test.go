package api_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/trowel-project/trowel/internal/api"
)

// request is a type that reads what strangers send.
type request = json.Unmarshaler

// requests returns a constructor of each.
func requests() []func() request {
	return []func() request{
		func() request { return new(api.AttemptRequest) },
		func() request { return new(api.ScheduleSkipRequest) },
		func() request { return new(api.ScheduleBackfillRequest) },
		func() request { return new(api.ScheduleEnableRequest) },
		func() request { return new(api.SetSecretRequest) },
	}
}

// values returns constructors of parts of documents. Null changes none of them, so they have no round trip.
func values() []func() request {
	return []func() request{
		func() request { return new(api.ID) },
		func() request { return new(api.Instant) },
		func() request { return new(api.OffsetTime) },
		func() request { return new(api.LocalOrInstant) },
		func() request { return new(api.DirectURL) },
	}
}

// FuzzRequests proves that bytes from strangers are read or refused, without a panic. What is read is
// one JSON value with nothing after it. Written and read again, it is the same.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"workflowId":"5","sessionTime":"2024-01-01T00:00:00Z","params":{"a":1},"resume":{"mode":"failed","attemptId":7}}`,
		`{"workflowId":5,"sessionTime":"2024-01-01T00:00Z[x]","params":{},"params":{"b":[1e400]}}`,
		`{"count":2,"fromTime":"2024-01-02T03:04:05+09:00","nextTime":"2024-01-02T03:04","nextRunTime":null,"dryRun":true}`,
		`{"fromTime":"0001-01-01T00:00:00Z","attemptName":7,"count":"3","dryRun":false}`,
		`{"skipSchedule":true,"nextTime":"2291-04-01T00:00:00"}`,
		`{"value":5}`, `"12"`, `-12`, `null`, `"9999-12-31T23:59:59-23:00"`, `{"url":"http://x/"}`, `{} {}`, `12 `,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, empty := range requests() {
			first, second := empty(), empty()
			if json.Unmarshal(body, first) != nil {
				continue
			}
			text, err := json.Marshal(first)
			if err != nil {
				t.Fatalf("write %T %+v: %v", first, first, err)
			}
			if err := json.Unmarshal(text, second); err != nil {
				t.Fatalf("read %T %s again: %v", first, text, err)
			}
			if again, err := json.Marshal(second); err != nil || !bytes.Equal(text, again) {
				t.Fatalf("wrote %T %s, then %s, %v", first, text, again, err)
			}
		}
		for _, empty := range append(requests(), values()...) {
			if value := empty(); json.Unmarshal(body, value) == nil && !json.Valid(body) {
				t.Fatalf("%T took %q, which is not one JSON value", value, body)
			}
			if trailing := append(bytes.Clone(body), " x"...); json.Unmarshal(trailing, empty()) == nil {
				t.Fatalf("%T took %q", empty(), trailing)
			}
		}
	})
}

// TestParseInstantRange: the zero instant stands for none in the store, and times beyond four digits of
// the year cannot be written.
func TestParseInstantRange(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"0001-01-01T00:00:00Z": false, "0001-01-01T09:00:00+09:00": false, "0000-06-01T00:00:00Z": false, "0001-01-01T00:00:01Z": true,
		"9999-12-31T23:59:59Z": true, "9999-12-31T23:59:59-01:00": false, "0001-01-01T00:00:00": false,
	} {
		if _, err := api.ParseLocalOrInstant(text); (err == nil) != ok {
			t.Errorf("ParseLocalOrInstant(%s) = %v", text, err)
		}
	}
}

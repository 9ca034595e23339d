package api_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
)

// An item of a search has all keys of an attempt, in the same order, and comes back as it was.
func TestAttemptItem(t *testing.T) {
	t.Parallel()
	const text = `{"status":"success","id":"1","index":1,"project":{"id":"1","name":"p"},"workflow":{"name":"w","id":"1"},"sessionId":"1",` +
		`"sessionUuid":"u","sessionTime":"2024-01-01T00:00:00+00:00","retryAttemptName":"r","done":true,"success":true,"cancelRequested":false,` +
		`"params":{"z":1},"createdAt":"2024-01-02T03:04:05.123Z","finishedAt":"2024-01-02T03:04:06.456Z"}`
	var item api.AttemptItem
	if err := json.Unmarshal([]byte(text), &item); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("AttemptItem came back changed (-want +got):\n%s", diff)
	}
	listed, err := item.Listed()
	if err != nil {
		t.Fatal(err)
	}
	got, err = json.Marshal(listed)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"status":"success","id":"1","index":1,"project":{"id":"1","name":"p"},"workflow":{"name":"w","id":"1"},"sessionId":"1",` +
		`"sessionUuid":"u","sessionTime":"2024-01-01T00:00:00+00:00","retryAttemptName":"r","done":true,"success":true,"cancelRequested":false,` +
		`"params":{"z":1},"createdAt":"2024-01-02T03:04:05Z","finishedAt":"2024-01-02T03:04:06Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the attempt of an item (-want +got):\n%s", diff)
	}
}

package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// openStream opens a stream of events. It stays open until end is called.
func openStream(t *testing.T, h *servertest.Server, header string) (status int, reason string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL+"/api/events?topic=site", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", header)
	r.Header.Set("Accept", "text/event-stream")
	w, err := h.Client().Do(r) //nolint:bodyclose // end does it
	if err != nil {
		t.Fatal(err)
	}
	if w.StatusCode == http.StatusOK {
		return w.StatusCode, "", func() { cancel(); _ = w.Body.Close() }
	}
	defer func() { _ = w.Body.Close() }()
	var document struct{ Message string }
	if err := json.NewDecoder(w.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	if !w.Close {
		t.Error("the connection of a refused stream stays open")
	}
	return w.StatusCode, document.Message, cancel
}

// One caller gets a quarter of the streams, and all together get all. Refused callers learn why. Ended streams make room.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) {
		o.Stream.MaxStreams = 8
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Admin: true, Tokens: servertest.Tokens{Store: o.REST.Store}, Now: time.Now})
	})
	const admin = "Basic dTpw"
	callers := []string{admin}
	for i := range 4 {
		var made struct{ Secret string }
		a := h.Do(t, http.MethodPost, "/api/tokens", "application/json", fmt.Sprintf(`{"name":"r%d","role":"read"}`, i), "Authorization", admin)
		if err := json.Unmarshal([]byte(a.Body), &made); err != nil {
			t.Fatalf("make a token: %d %s", a.Status, a.Body)
		}
		callers = append(callers, "Bearer "+made.Secret)
	}
	var ends []func()
	for _, caller := range callers[:4] {
		for range 2 {
			status, reason, end := openStream(t, h, caller)
			if status != http.StatusOK {
				t.Fatalf("stream: %d %s", status, reason)
			}
			ends = append(ends, end)
		}
		if status, reason, _ := openStream(t, h, caller); status != http.StatusServiceUnavailable || !strings.Contains(reason, "streams of events") {
			t.Errorf("a third of a caller: %d %q, want 503 with the reason", status, reason)
		}
	}
	if status, reason, _ := openStream(t, h, callers[4]); status != http.StatusServiceUnavailable || !strings.Contains(reason, "this server has 8 streams") {
		t.Errorf("one more than all: %d %q, want 503 with the reason", status, reason)
	}
	if a := h.Do(t, http.MethodGet, "/api/projects", "", "", "Authorization", admin); a.Status != http.StatusOK {
		t.Errorf("another request: %d", a.Status)
	}
	for _, end := range ends {
		end()
	}
	for deadline := time.Now().Add(time.Minute); ; {
		status, _, end := openStream(t, h, callers[4])
		end()
		if status == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("streams that have ended make no room")
		}
	}
}

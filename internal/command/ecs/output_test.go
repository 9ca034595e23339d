//go:build unix

package ecs

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/ecs/ecstest"
)

// Pages are full by their bytes as well, so all of them are asked for in one look.
func TestLongLines(t *testing.T) {
	t.Parallel()
	f := ecstest.Start(t)
	line := strings.Repeat("x", 600<<10)
	f.Answer = func(r *ecstest.Request) *ecstest.Answer {
		events := []any{}
		if r.Nth <= 3 {
			events = append(events, map[string]any{"message": line})
		}
		return &ecstest.Answer{Status: http.StatusOK, Body: map[string]any{"events": events, "nextForwardToken": fmt.Sprintf("f/%d", min(r.Nth, 3))}}
	}
	e := executorOf(f, nil)
	c, err := readCluster(e.options.Setting, taskParams())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := &watch{executor: e, cluster: c, request: &command.Request{Output: &out}, state: &state{logs: &logStream{group: "g", stream: "s"}}}
	if w.client, err = e.clientOf(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := w.copyOutput(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := 3 * (len(line) + 1); out.Len() != want {
		t.Errorf("%d bytes of output, want %d", out.Len(), want)
	}
}

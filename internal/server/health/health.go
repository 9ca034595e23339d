package health

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Part is a part of the server that can fail alone.
type Part struct {
	Name string
	// Check returns an error while the part does not work.
	Check func(ctx context.Context) error
}

// Monitor checks the parts of a server, and remembers since when each works or fails.
type Monitor struct {
	parts []Part

	mu    sync.Mutex
	since map[string]time.Time
	ok    map[string]bool
}

// New returns a monitor of some parts.
func New(parts ...Part) *Monitor {
	return &Monitor{parts: parts, since: map[string]time.Time{}, ok: map[string]bool{}}
}

// handlers answer requests about the health.
type handlers struct{ health *Monitor }

// get answers with 503 while a part does not work. Probes need no credentials for that; only callers who may read get
// the parts.
func (h *handlers) get(c *rest.Call) (any, error) {
	reader, err := isReader(c)
	if err != nil {
		return nil, err
	}
	report := h.health.Check(c)
	if reader {
		err = c.View(func(tx trowel.Tx) error {
			agents, err := tx.ListAgents(c.Ctx())
			report.Agents = CountAgents(agents, c.Now)
			return err
		})
		report.OK = report.OK && err == nil
	} else {
		report.Parts = nil
	}
	if !report.OK {
		return nil, rest.ErrorDocument(http.StatusServiceUnavailable, report)
	}
	return report, nil
}

// Check checks all parts. The report has no agents.
func (h *Monitor) Check(c *rest.Call) api.HealthReport {
	report := api.HealthReport{OK: true}
	for _, part := range h.parts {
		checked := h.check(c.Ctx(), part, c.Clock)
		report.OK = report.OK && checked.OK
		report.Parts = append(report.Parts, checked)
	}
	return report
}

// CountAgents counts agents by their liveness.
func CountAgents(agents []*trowel.Agent, now time.Time) *api.HealthAgents {
	var n api.HealthAgents
	for _, a := range agents {
		switch document.Liveness(a, now) {
		case document.AgentDead:
			n.Dead++
		case document.AgentLate:
			n.Late++
		default:
			n.Live++
		}
	}
	return &n
}

// isReader reports whether the caller may see the parts. Wrong credentials are an error.
func isReader(c *rest.Call) (bool, error) {
	caller, err := c.Admit()
	if errors.Is(err, access.ErrUnauthenticated) && c.Request.Header.Get("Authorization") == "" {
		return false, nil
	}
	return err == nil && caller.May(access.ListProjectsOfSite, 0), err
}

// getLive answers as long as the server serves requests.
func getLive(*rest.Call) (any, error) { return api.HealthLive{OK: true}, nil }

func (h *Monitor) check(ctx context.Context, part Part, now func() time.Time) api.HealthPart {
	began := now()
	err := part.Check(ctx)
	took := now().Sub(began).Milliseconds()
	h.mu.Lock()
	defer h.mu.Unlock()
	if before, known := h.ok[part.Name]; !known || before != (err == nil) {
		h.since[part.Name], h.ok[part.Name] = began, err == nil
	}
	checked := api.HealthPart{Name: part.Name, OK: err == nil, Since: document.Instant(h.since[part.Name]), LatencyMS: &took}
	if err != nil {
		checked.Message = document.OptText(strings.TrimSpace(rest.MessageOf(err)))
	}
	return checked
}

package telemetry

import (
	"flag"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

// Values of every kind, in the text format of Prometheus.
func TestText(t *testing.T) {
	t.Parallel()
	m := New()
	m.Set(Info, 1, "1.0 \"x\"\\\n")
	m.Add(HTTPRequests, 2, "getProject", "200")
	m.Add(HTTPRequests, 1, "getProject", "404")
	m.Add(HTTPRequests, 0.5, "getProject", "200")
	m.Set(AttemptsRunning, 3)
	m.Set(AttemptsRunning, 2)
	for _, size := range []float64{-1, 1, 2, 3, 5000, 5001} {
		m.Observe(FlushChanges, size)
	}
	want := []string{
		`trowel_info{version="1.0 \"x\"\\\n"} 1`,
		`trowel_http_requests_total{route="getProject",status="200"} 2.5`,
		`trowel_http_requests_total{route="getProject",status="404"} 1`,
		`trowel_attempts_running 2`,
		`trowel_flush_changes_bucket{le="1"} 2`,
		`trowel_flush_changes_bucket{le="2"} 3`,
		`trowel_flush_changes_bucket{le="5"} 4`,
		`trowel_flush_changes_bucket{le="5000"} 5`,
		`trowel_flush_changes_bucket{le="+Inf"} 6`,
		`trowel_flush_changes_sum 10007`,
		`trowel_flush_changes_count 6`,
		`# TYPE trowel_flush_changes histogram`,
		`# TYPE trowel_http_requests_total counter`,
		`# TYPE trowel_info gauge`,
		`trowel_attempts_started_total 0`, // visible before anything happens
	}
	got := strings.Split(text(t, m), "\n")
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("no line %s", line)
		}
	}
}

func text(t *testing.T, m io.WriterTo) string {
	t.Helper()
	var b strings.Builder
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Callers need not check whether metrics are wanted.
func TestNothing(t *testing.T) {
	t.Parallel()
	for _, m := range []*Metrics{nil, {}} {
		m.Add(Tries, 1, "success")
		m.Set(Agents, 1)
		m.Observe(TryDuration, 1)
		if got := text(t, m); got != "" {
			t.Errorf("text = %q, want none", got)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m := New()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				m.Add(Tries, 1, "success")
				m.Observe(TryDuration, 1)
			}
			_, _ = m.WriteTo(io.Discard)
		})
	}
	all.Wait()
	got := text(t, m)
	for _, line := range []string{`trowel_tries_total{outcome="success"} 8000`, `trowel_try_duration_seconds_sum 8000`} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	New().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if got := rec.Header().Get("Content-Type"); got != ContentType || !strings.Contains(rec.Body.String(), "trowel_goroutines 0\n") {
		t.Errorf("answer = %s %s", got, rec.Body)
	}
}

// Names have their unit, counters end with _total, and nothing is there twice.
func TestNames(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^trowel_[a-z]+(_[a-z]+)*$`)
	seen := map[string]bool{}
	for id, m := range All() {
		counter := strings.HasSuffix(m.Name, "_total")
		growing := slices.IsSorted(m.Buckets) && len(slices.Compact(slices.Clone(m.Buckets))) == len(m.Buckets)
		switch {
		case !form.MatchString(m.Name), seen[m.Name], m.Help == "", counter != (m.Kind == Counter):
			t.Errorf("metric %d: %+v", id, m)
		case (len(m.Buckets) > 0) != (m.Kind == Histogram), !growing:
			t.Errorf("metric %s has the buckets %v", m.Name, m.Buckets)
		}
		seen[m.Name] = true
	}
}

// docs/metrics.md has all metrics. -update writes it.
func TestDocument(t *testing.T) {
	t.Parallel()
	const path = "../../docs/metrics.md"
	want := document()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not that of All, write it anew with -update (-want +got):\n%s", path, diff)
	}
}

func document() string {
	var b strings.Builder
	b.WriteString(`# Metrics

A server tells how it does at ` + "`/metrics`" + `, in the text format of Prometheus. Who asks must sign in like any other caller; a token
with the role ` + "`read`" + ` is enough (` + "`trowel tokens create --name prometheus --role read`" + `):

` + "```yaml" + `
scrape_configs:
  - job_name: trowel
    authorization: { credentials: trw_... }
    static_configs: [{ targets: ["trowel.example.com:65432"] }]
` + "```" + `

Each server counts what it does itself from its start on. What is read from the database is said below: of several servers ask
one. No label has names of projects or workflows, so the number of series does not grow with them.

| metric | kind | labels | meaning |
|---|---|---|---|
`)
	for _, m := range All() {
		b.WriteString("| `" + m.Name + "` | " + m.Kind.String() + " | " + strings.Join(m.Labels, ", ") + " | " + m.Help + " |\n")
	}
	b.WriteString(`
What to watch first: ` + "`trowel_database_errors_total`" + ` should not grow; ` + "`trowel_try_ready_to_claim_seconds`" + ` grows when slots are
missing; ` + "`trowel_schedule_delay_seconds`" + ` when sessions start late; ` + "`trowel_tries_total{outcome=\"lost\"}`" + ` when agents die.

Digdag's settings ` + "`metrics.*`" + ` are accepted with a warning: there is no JMX, and nothing is sent to Fluentd.
`)
	return b.String()
}

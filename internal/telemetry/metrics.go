package telemetry

import (
	"slices"
	"strings"
	"sync"
)

// Metrics counts. A nil Metrics and the zero value count nothing, so callers need not check whether metrics
// are wanted. It is safe for concurrent use.
type Metrics struct{ families []*family }

// family is a metric with its series.
type family struct {
	Metric

	mu     sync.Mutex
	series map[string]*series
}

// series is a metric with values for its labels.
type series struct {
	labels  []string
	value   float64  // of a counter or gauge; the sum of a histogram
	count   uint64   // of the values of a histogram
	buckets []uint64 // values up to each bound and above the one before
}

// New returns Metrics that count.
func New() *Metrics {
	m := &Metrics{}
	for _, metric := range All() {
		f := &family{Metric: metric, series: map[string]*series{}}
		if len(metric.Labels) == 0 {
			f.find(nil) // so that zero is visible before anything happens
		}
		m.families = append(m.families, f)
	}
	return m
}

func (m *Metrics) family(id ID) *family {
	if m == nil || len(m.families) == 0 {
		return nil
	}
	return m.families[id]
}

// Add adds n, which is not negative, to a counter. labels are the values of its labels in their order.
func (m *Metrics) Add(id ID, n float64, labels ...string) {
	if f := m.family(id); f != nil {
		f.mu.Lock()
		f.find(labels).value += n
		f.mu.Unlock()
	}
}

// Set sets a gauge.
func (m *Metrics) Set(id ID, value float64, labels ...string) {
	if f := m.family(id); f != nil {
		f.mu.Lock()
		f.find(labels).value = value
		f.mu.Unlock()
	}
}

// Observe adds a value, such as a duration in seconds, to a histogram. A negative one counts as
// zero, as the clocks of two machines differ.
func (m *Metrics) Observe(id ID, value float64, labels ...string) {
	if f := m.family(id); f != nil {
		f.mu.Lock()
		f.find(labels).observe(max(value, 0), f.Buckets)
		f.mu.Unlock()
	}
}

func (s *series) observe(value float64, bounds []float64) {
	s.count++
	s.value += value
	if i, _ := slices.BinarySearch(bounds, value); i < len(bounds) {
		s.buckets[i]++
	}
}

// find returns a series, and makes it if it is missing. The caller holds the lock.
func (f *family) find(labels []string) *series {
	key := ""
	switch len(labels) {
	case 0:
	case 1:
		key = labels[0]
	default:
		key = strings.Join(labels, "\x00")
	}
	s := f.series[key]
	if s == nil {
		s = &series{labels: slices.Clone(labels), buckets: make([]uint64, len(f.Buckets))}
		f.series[key] = s
	}
	return s
}

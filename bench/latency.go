package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// latencies are durations from a microsecond to a minute, with three digits. They may be recorded
// concurrently.
type latencies struct {
	mu        sync.Mutex
	histogram *hdrhistogram.Histogram
}

func newLatencies() *latencies {
	return &latencies{histogram: hdrhistogram.New(1, time.Minute.Microseconds(), 3)}
}

// record counts a duration. One that is out of range counts as the end of the range.
func (l *latencies) record(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	us := min(max(d.Microseconds(), 1), time.Minute.Microseconds())
	_ = l.histogram.RecordValue(us) // it is in range
}

// add adds the counts of another one.
func (l *latencies) add(other *latencies) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.histogram.Merge(other.histogram)
}

func (l *latencies) count() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.histogram.TotalCount()
}

// at returns the duration in milliseconds that a percentage of the values does not exceed.
func (l *latencies) at(percent float64) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return float64(l.histogram.ValueAtQuantile(percent)) / 1000
}

func (l *latencies) String() string {
	return fmt.Sprintf("%d: p50 %.3g, p99 %.3g, p99.9 %.3g, longest %.3g ms", l.count(), l.at(50), l.at(99), l.at(99.9), l.at(100))
}

// Package telemetry has what operators of Trowel look at: the keys of log entries, and the metrics,
// which it counts and writes in the text format of Prometheus. Callers decide what to count
// where.
//
// Read Metrics first. All lists the metrics.
package telemetry

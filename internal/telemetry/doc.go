// Package telemetry names what Trowel tells its operators: the keys of log entries and the metrics,
// which it counts and writes in the text format of Prometheus. What is counted where is the matter of
// the callers.
//
// Read Metrics first; All lists the metrics.
package telemetry

// Package stream sends changes of attempts, tasks and schedules as server-sent events (docs/rest.md, Events). It gets them from
// package events.
package stream

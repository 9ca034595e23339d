// Package stream sends changes of attempts, tasks and schedules as server-sent events (ui.md, A5). It gets them from
// package events.
package stream

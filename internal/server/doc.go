// Package server is the HTTP side: Digdag's REST API (docs/spec/server.md, chapter 2) and what
// Trowel adds to it. It reads the store, and hands what changes attempts and schedules to those who
// know the rules: launch, the flusher and scheduler.
//
// Read routes.go first: one table of all paths. Each noun has a file with its handlers; call.go is
// what a handler has of its request; errors.go is the one place that knows which error has which
// status; shape.go makes the JSON documents of package api.
package server

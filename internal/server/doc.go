// Package server is the HTTP side of a server: Digdag's REST API (docs/spec/server.md, chapter 2) and what Trowel
// adds to it. It joins the routes of all groups; package rest answers requests by them.
//
// Each group is a package below this one. Its routes.go has its paths and what it works with; the other files have
// its handlers, by noun. Groups read the store. They hand what changes attempts and schedules to those who know the
// rules: launch, the flusher and scheduler.
package server

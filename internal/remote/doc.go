// Package remote connects an agent in another process to its server, over HTTP only. It brings leases, reports,
// heartbeats, and the secrets, files, logs and sessions that tries need. Package agent runs the tries; package hub is
// the other end.
//
// Read Link first. It keeps one stream, on which leases come as soon as they are claimed. Everything else is a request.
// If a server stops or cannot be reached, it is tried again, or the next one is; meanwhile tries go on and their reports
// wait. A try is lost only if a server says so; silence never means that.
package remote

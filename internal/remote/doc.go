// Package remote is what an agent in a process of its own needs of its server, over HTTP alone: leases,
// reports, heartbeats, and secrets, files, logs and sessions for its tries. What runs the tries is package
// agent; the other end is package hub.
//
// Read Link first. It keeps one stream, by which leases come as soon as they are claimed; all else are
// requests. A server that ends or cannot be reached is tried again, or the next one is; meanwhile tries go
// on and their reports wait. Only a server can say that a try is lost: by an answer, never by silence.
package remote

// Package v1 has Digdag's REST API (docs/spec/server.md, section 2.6): projects and their pushes, workflows,
// schedules, sessions, attempts, logs and secrets.
package v1

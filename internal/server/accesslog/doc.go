// Package accesslog writes a line for each request (docs/spec/server.md, section 3.5).
package accesslog

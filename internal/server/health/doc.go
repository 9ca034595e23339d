// Package health checks whether the parts of a server work, and answers requests about it (docs/rest.md, Health).
package health

// Package health checks whether the parts of a server work, and answers requests about it (ui.md, A4).
package health

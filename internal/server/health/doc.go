// Package health says whether the parts of a server work (ui.md, A4).
package health

// Package killtest runs a server of the real program as a process of its own, which tests kill without a warning and start again.
// Only tests import it.
package killtest

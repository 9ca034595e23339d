// Package servertest starts servers and remote agents in the process of a test, as the commands do.
package servertest

// Package local has the commands for projects on this machine: init, run, check, schema, archive.
package local

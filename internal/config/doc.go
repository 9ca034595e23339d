// Package config reads the settings of a server: Digdag's property files as they are (server 3.1) with
// Trowel's own keys beside them.
//
// It gets texts by key, from wherever they come, and returns a checked Server, from which the command
// line makes the options of the other packages; nobody else sees it. Everything that can be set stands
// in the tables of this package, from which docs/configuration.md is made.
//
// Read Read first, then Server and the table in keys.go.
package config

// Package config reads the settings of a server: Digdag's property files as they are (server 3.1) and
// Trowel's own keys.
//
// It gets texts by key from any source and returns a checked Server. The command
// line turns that into the options of other packages, which never see it. All settings are
// in the tables of this package, from which docs/configuration.md is generated.
//
// Read Read first, then Server and the table in keys.go.
package config

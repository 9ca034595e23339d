// Package store keeps Trowel's rows in a database. Every SQL statement is here, one file per noun,
// written once for SQLite and PostgreSQL. The package has no opinions: the engine decides what a state means and
// which one comes next.
//
// Instants are microseconds UTC in BIGINT columns, JSON is TEXT, states are SMALLINT with a CHECK.
// Empty objects and zero instants are NULL. Nothing here reads the clock.
//
// Read DB first, then tx.go and bulk.go. Package sqlite opens a DB, and package storetest is the suite
// that every backend passes.
package store

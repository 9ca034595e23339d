// Package store keeps Trowel's rows in a database: every SQL statement is here, one file per noun,
// written once for SQLite and PostgreSQL. It has no opinions: what a state means and which comes
// next is the engine's matter.
//
// Instants are microseconds UTC in BIGINT columns, JSON is TEXT, states are SMALLINT with a CHECK.
// Empty objects and zero instants are NULL. Nothing here asks the clock.
//
// Read DB first, then tx.go and bulk.go. Package sqlite opens a DB; package storetest is the suite
// that every backend passes.
package store

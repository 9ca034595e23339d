// Package digdagtest gives tests a Digdag database: the tables of Digdag 0.10 in a schema of a
// PostgreSQL (server chapter 6), and Content, which makes rows of all kinds and says what a store has
// after a migration.
//
// A package that uses it calls pgtest.Main from its TestMain.
package digdagtest

// Package pgtest gives tests a PostgreSQL: the server that TROWEL_TEST_POSTGRESQL names, or one that
// it starts from the programs of this machine, once for all tests of a package. Open is what most
// tests need; Start gives a test a server of its own, to stop and start as it likes.
//
// A package that uses it calls Main from its TestMain.
package pgtest

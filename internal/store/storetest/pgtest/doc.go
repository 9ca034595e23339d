// Package pgtest gives tests a PostgreSQL: the server that TROWEL_TEST_POSTGRESQL names, or one that
// it starts from the programs of this machine, once for all tests of a package. Most tests need Open.
// Start gives a test a server of its own, which it can stop and start.
//
// A package that uses it calls Main from its TestMain.
package pgtest

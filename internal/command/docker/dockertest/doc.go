// Package dockertest gives tests a Docker engine: the one that TROWEL_TEST_DOCKER names, or one that it starts from the programs
// of this machine, once for all tests of a package. Most tests need Start, which returns the engine with two small images.
//
// A package that uses it calls Main from its TestMain.
package dockertest

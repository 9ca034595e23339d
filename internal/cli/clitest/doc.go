// Package clitest runs command lines in tests. A Console is an empty folder to run them in, NewAPI starts a server with
// fixed answers.
package clitest

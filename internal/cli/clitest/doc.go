// Package clitest runs command lines in tests: a Console is an empty folder to run them in, NewAPI a server of fixed answers.
package clitest

// Package viewtest drives views through simulated runs, for tests.
package viewtest

// Package viewtest drives views through rehearsed runs, for tests.
package viewtest

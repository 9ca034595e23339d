package cli

import "testing"

func newConsole(t *testing.T) *console { t.Helper(); return newConsoleOf(t, commandLine()) }

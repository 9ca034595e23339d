package cli

import (
	"github.com/trowel-project/trowel/internal/cli/clitest"
	"testing"
)

func newConsole(t *testing.T) *clitest.Console { t.Helper(); return clitest.New(t, commandLine()) }

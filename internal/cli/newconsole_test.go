package cli

import (
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
)

func newConsole(t *testing.T) *clitest.Console { t.Helper(); return clitest.New(t, commandLine()) }

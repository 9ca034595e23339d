// Trowel runs workflows written in .dig files.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // zones on machines without their rules

	"github.com/trowel-project/trowel/internal/cli"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

func main() {
	os.Exit(cli.Run(context.Background(), cmd.ProcessEnv()))
}

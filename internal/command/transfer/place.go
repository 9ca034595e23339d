package transfer

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
)

// TempDir is the folder of a project from which files come back.
const TempDir = ".digdag/tmp"

// OutputArchive is the path in the project's copy where a machine packs what comes back.
const OutputArchive = TempDir + "/archive-output.tar.gz"

// Folder returns the folder of a try in a store: the id of the task, as in Digdag, followed by 20 digits of the try's key. So
// neither a retry nor another installation on the same bucket finds the files of this try, and a try that is repeated after a
// crash finds its own.
func Folder(try *command.Try) string {
	n, err := strconv.ParseUint(try.Key()[:16], 16, 64)
	if err != nil {
		panic(err) //nolint:forbidigo // Key has 32 hexadecimal digits
	}
	return fmt.Sprintf("%d%020d", try.Task, n)
}

// OutputKey returns the key of what comes back.
func OutputKey(folder string) string { return folder + "/archive-output.tar.gz" }

// Input is an archive of the files of a command.
type Input struct {
	Key  string // in the store
	Path string // in the project's copy
}

// NewInput returns a new name for an archive.
func NewInput(folder string) Input {
	name := "archive-input-" + strings.ToLower(rand.Text()) + ".tar.gz"
	return Input{Key: folder + "/" + name, Path: TempDir + "/" + name}
}

// NewVariables returns the key of a new file with variables.
func NewVariables(folder string) string {
	return folder + "/variables-" + strings.ToLower(rand.Text()) + ".env"
}

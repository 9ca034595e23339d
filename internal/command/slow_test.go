//go:build unix

package command_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
)

// slow takes nothing for a while, as a log whose database is away.
type slow struct {
	bytes.Buffer
	until time.Time
}

func (s *slow) Write(p []byte) (int, error) {
	wait := time.NewTimer(time.Until(s.until))
	defer wait.Stop()
	<-wait.C
	return s.Buffer.Write(p)
}

// Output of a command is not lost if its reader is slow, even if something else holds the output open for longer
// than the two seconds that are waited for.
func TestSlowOutput(t *testing.T) {
	t.Parallel()
	out := &slow{until: time.Now().Add(3 * time.Second)}
	request := sh(t, `head -c 50000 /dev/zero | tr '\0' x; printf '%s' END; setsid sleep 6 &`, out)
	status, err := newLocal(command.LocalOptions{}).Run(t.Context(), request)
	if err != nil || !status.Finished {
		t.Fatalf("Run = %+v, %v", status, err)
	}
	if got, want := out.String(), strings.Repeat("x", 50000)+"END"; got != want {
		t.Errorf("%d bytes of output, want %d", len(got), len(want))
	}
}

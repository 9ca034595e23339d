package cli_test

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func splitFiles(list string) []string { return strings.Split(list, ",") }

func atoi(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

// appears waits until a file exists. It returns false if the process ends before that.
func appears(file string, ended chan struct{}) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return false
		case <-tick.C:
			if _, err := os.Stat(file); err == nil {
				return true
			}
		}
	}
}

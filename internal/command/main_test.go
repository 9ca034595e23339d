package command_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// eatVariable makes this program no test, but a command that uses so many bytes of memory for three seconds: on a busy
// machine processes are looked at rarely.
const eatVariable = "TROWEL_TEST_EAT"

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(eatVariable)); err == nil {
		eat(n)
		return
	}
	goleak.VerifyTestMain(m)
}

func eat(bytes int) {
	var all [][]byte
	for left := bytes; left > 0; left -= 1 << 20 {
		part := make([]byte, 1<<20)
		for i := range part {
			part[i] = byte(i)
		}
		all = append(all, part)
	}
	<-time.After(3 * time.Second)
	if len(all) > bytes {
		os.Exit(1) // so that it stays in use
	}
}

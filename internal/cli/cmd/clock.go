//go:build !chaos

package cmd

import "time"

// processClock returns the clock of this process. A build for chaos tests has another one.
func processClock() func() time.Time { return time.Now }

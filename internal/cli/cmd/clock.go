//go:build !chaos

package cmd

import "time"

// processClock is what tells this process the time. A program for chaos has another one.
func processClock() func() time.Time { return time.Now }

//go:build unix

package ecs

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/command/ecs/ecstest"
	"github.com/trowel-project/trowel/internal/command/transfer/transfertest"
)

// executorOf returns an Executor without long pauses.
func executorOf(s *ecstest.Service, log *slog.Logger, more ...string) *Executor {
	e := New(Options{Setting: transfertest.Setting(s.Settings(more...)), HTTP: &http.Client{Transport: s}, Log: log})
	const short = 10 * time.Millisecond
	e.times = times{
		resubmit: short, throttle: func(int) time.Duration { return short }, drain: 300 * time.Millisecond, look: short, missing: 100 * time.Millisecond, failed: short, retry: short,
	}
	return e
}

package retention_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/retention"
)

// deaf is a store that is away at its second transaction, and has one old value each time.
type deaf struct {
	trowel.Store

	calls int
}

func (d *deaf) Update(_ context.Context, f func(tx trowel.Tx) error) error {
	d.calls++
	if d.calls == 2 {
		return trowel.ErrUnavailable
	}
	return f(oneValue{n: d.calls % 2})
}

func (d *deaf) View(_ context.Context, f func(tx trowel.Tx) error) error { return f(oneValue{}) }

type oneValue struct {
	trowel.Tx

	n int
}

func (o oneValue) DeleteParamValues(context.Context, time.Time, int) (int, error) { return o.n, nil }

func (o oneValue) ListBlobs(context.Context, string, string, int) ([]string, error) { return nil, nil }

// Passes are five minutes after the start and then once an hour; after a failure the next one is soon.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		opts := retention.Options{Store: &deaf{}, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)), KeepValues: time.Hour}
		var passes []string
		err := retention.Run(ctx, opts, func(err error) {
			passes = append(passes, time.Since(start).Truncate(time.Minute).String()+" "+map[bool]string{true: "good", false: "failed"}[err == nil])
			if len(passes) == 3 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Run() = %v, want canceled", err)
		}
		if diff := cmp.Diff([]string{"5m0s failed", "10m0s good", "1h10m0s good"}, passes); diff != "" {
			t.Errorf("passes (-want +got):\n%s", diff)
		}
		for _, text := range []string{`msg="deleted what was old" deleted.values=1`, `msg="retention has failed and is tried again soon" error=unavailable`} {
			if !strings.Contains(log.String(), text) {
				t.Errorf("log = %s, want %s", log.String(), text)
			}
		}
	})
}

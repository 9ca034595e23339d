package flush_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// raisedTx shows a database that only later versions may write.
type raisedTx struct{ trowel.Tx }

func (t raisedTx) ShareLimits(ctx context.Context) (int64, trowel.Writers, error) {
	version, _, err := t.Tx.ShareLimits(ctx)
	return version, trowel.Writers{Lowest: trowel.Generation + 1, Since: "9.9"}, err
}

func (t raisedTx) CheckLimitsVersion(context.Context, int64) error { return trowel.ErrConflict }

// Once later versions alone may write, the task that runs comes to its end, what follows becomes ready for others, and
// nothing is claimed.
func TestOutdated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var raised atomic.Bool
		var runs atomic.Int32
		var told atomic.Pointer[error]
		release := make(chan struct{})
		f := beginWith(t, func(l *trowel.Lease) trowel.Report {
			runs.Add(1)
			<-release
			return trowtest.Success(l)
		}, func(opts *flush.Options) {
			opts.RetryForever = true
			opts.Outdated = func(err error) { told.Store(&err) }
			opts.Store = hooked{opts.Store, func(tx trowel.Tx) trowel.Tx {
				if raised.Load() {
					return raisedTx{tx}
				}
				return tx
			}}
		})
		first := f.Begin(0, param.Of("+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1)))
		synctest.Wait()
		raised.Store(true)
		close(release)
		synctest.Wait()
		if err := told.Load(); err == nil || !errors.Is(*err, trowel.ErrOutdated) {
			t.Errorf("told of %v, want an ErrOutdated", err)
		}
		if got := runs.Load(); got != 1 {
			t.Errorf("%d tasks ran, want the first alone", got)
		}
		if a, b := stateIn(t, f, first.Attempt.ID, "+w+a"), stateIn(t, f, first.Attempt.ID, "+w+b"); a != trowel.TaskSuccess || b != trowel.TaskReady {
			t.Errorf("+a is %s and +b %s, want success and ready", a, b)
		}
		// Another start is still written, for others.
		f.Begin(time.Hour, param.Of("+a", param.Of("echo>", 1)))
		if got := runs.Load(); got != 1 {
			t.Errorf("%d tasks ran, want the first alone", got)
		}
	})
}

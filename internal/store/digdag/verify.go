package digdag

import (
	"context"
	"crypto/md5" //nolint:gosec // Digdag's checksum, not for secrecy
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

// verify counts the rows of both databases and compares archives. A difference is an error, so that
// nothing is committed.
func (c *copying) verify(ctx context.Context) error {
	for _, sum := range c.sums {
		data, err := c.opts.Archives.Get(ctx, c.target.Tx, sum.key)
		if err != nil {
			return fmt.Errorf("read archive %q again: %w", sum.key, err)
		}
		if md5.Sum(data) != sum.sum { //nolint:gosec // as above
			return differs(fmt.Sprintf("archive %q is not what Digdag's database has", sum.key))
		}
		c.report.ComparedArchives++
	}
	for i, s := range c.steps() {
		count := &c.report.Counts[i]
		if s.table == "" { // archives are written one by one, under the keys of their revisions
			keys, err := c.countArchives(ctx)
			if err != nil {
				return err
			}
			count.Target = keys
		} else {
			n, err := c.target.Count(ctx, s.table)
			if err != nil {
				return err
			}
			count.Target = n
		}
		if count.Source != count.Target {
			return differs(fmt.Sprintf("Digdag's database has %d %s, and %d were copied", count.Source, s.name, count.Target))
		}
	}
	return c.verifyTasks(ctx)
}

// verifyTasks checks that each attempt has tasks.
func (c *copying) verifyTasks(ctx context.Context) error {
	attempts, err := c.target.Count(ctx, store.TableAttempt)
	if err != nil {
		return err
	}
	n, err := c.target.Count(ctx, store.TableTaskArchive)
	if err != nil {
		return err
	}
	if n != attempts {
		return differs(fmt.Sprintf("%d attempts were copied, but the tasks of %d", attempts, n))
	}
	return nil
}

func (c *copying) countArchives(ctx context.Context) (n int64, err error) {
	const page = 1000
	after := ""
	for {
		keys, err := c.target.ListBlobs(ctx, "digdag/", after, page)
		if err != nil {
			return 0, err
		}
		n += int64(len(keys))
		if len(keys) < page {
			return n, nil
		}
		after = keys[len(keys)-1]
	}
}

func differs(message string) error {
	return &trowel.Error{
		Kind: trowel.ErrConflict, Message: message + "; nothing was kept",
		Hint: "look whether another program writes to the target, and try again",
	}
}

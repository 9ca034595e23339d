package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// idBlock is how many task ids are reserved in the store at a time.
const idBlock = 1000

// ids hands out task ids from a block. A transaction that needs more takes the next block; if it
// fails, the block is given up with it.
type ids struct {
	next, end trowel.TaskID

	ctx  context.Context //nolint:containedctx // of the open transaction, for the length of begin to commit
	tx   trowel.Tx
	want int
	err  error
}

// begin ties the ids to a transaction. want is how many will be needed at least.
func (d *ids) begin(ctx context.Context, tx trowel.Tx, want int) {
	d.ctx, d.tx, d.want, d.err = ctx, tx, want, nil
}

// Next implements engine.IDs. After an error it returns ids that will not be used, as the transaction fails.
func (d *ids) Next(after trowel.TaskID) trowel.TaskID {
	if d.next <= after || d.next >= d.end {
		d.reserve(after)
	}
	id := d.next
	d.next++
	d.want--
	return id
}

func (d *ids) reserve(after trowel.TaskID) {
	n := max(idBlock, d.want)
	first := after + 1
	if d.err == nil {
		reserved, err := d.tx.ReserveTaskIDs(d.ctx, n)
		if err == nil {
			first = reserved
		}
		d.err = err
	}
	d.next, d.end = first, first+trowel.TaskID(n)
}

// drop gives up the block: the transaction that reserved it did not commit.
func (d *ids) drop() { *d = ids{} }

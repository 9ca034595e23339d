package flush

import (
	"context"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// images are the attempts in memory, in the order of their ids.
type images struct {
	byID map[trowel.AttemptID]*attempt
	ids  []trowel.AttemptID
}

// attempt is an image and who waits for its end.
type attempt struct {
	*engine.Image
	ended []chan trowel.Attempt
}

// close tells those who wait that the end will not be seen.
func (a *attempt) close() {
	for _, ch := range a.ended {
		close(ch)
	}
	a.ended = nil
}

func (im *images) ready() bool {
	for _, id := range im.ids {
		if im.byID[id].wanting() {
			return true
		}
	}
	return false
}

// wanting tells whether there is something to claim, or nobody knows because the image was
// forgotten.
func (a *attempt) wanting() bool {
	if a.Image == nil {
		return true
	}
	_, ok := a.NextReady()
	return ok
}

// withReady lists the attempts that have ready tasks, or may have some.
func (im *images) withReady() []trowel.AttemptID {
	var list []trowel.AttemptID
	for _, id := range im.ids {
		if im.byID[id].wanting() {
			list = append(list, id)
		}
	}
	return list
}

func (im *images) add(id trowel.AttemptID, img *engine.Image) *attempt {
	known := im.byID[id]
	if known == nil {
		known = &attempt{}
		im.byID[id] = known
		at, _ := slices.BinarySearch(im.ids, id)
		im.ids = slices.Insert(im.ids, at, id)
	}
	known.Image = img
	return known
}

func (im *images) remove(id trowel.AttemptID) {
	delete(im.byID, id)
	if at, ok := slices.BinarySearch(im.ids, id); ok {
		im.ids = slices.Delete(im.ids, at, at+1)
	}
}

// end drops an attempt that is done and tells those who wait for that.
func (im *images) end(done trowel.Attempt) {
	known := im.byID[done.ID]
	if known == nil {
		return
	}
	for _, ch := range known.ended {
		ch <- done
	}
	im.remove(done.ID)
}

// lock locks attempts and brings their images up to date. The images of those that are done, which
// another server ended, or unknown are dropped.
func (im *images) lock(ctx context.Context, tx trowel.Tx, ids []trowel.AttemptID) error {
	rows, err := tx.LockAttempts(ctx, ids)
	if err != nil {
		return err
	}
	running := map[trowel.AttemptID]bool{}
	for _, row := range rows {
		if row.Flags&trowel.AttemptDone != 0 {
			im.end(*row)
			continue
		}
		running[row.ID] = true
		if err := im.refresh(ctx, tx, row); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if known := im.byID[id]; known != nil && !running[id] {
			known.close()
			im.remove(id)
		}
	}
	return nil
}

func (im *images) refresh(ctx context.Context, tx trowel.Tx, row *trowel.Attempt) error {
	known := im.byID[row.ID]
	if known != nil && known.Image != nil {
		if known.Attempt.Version == row.Version {
			return nil
		}
		tasks, err := tx.ListTasks(ctx, row.ID, known.Attempt.Version)
		if err != nil {
			return err
		}
		known.Refresh(*row, tasks)
		return nil
	}
	setting, err := tx.FindSetting(ctx, row.ID)
	if err != nil {
		return err
	}
	tasks, err := tx.ListTasks(ctx, row.ID, -1)
	if err != nil {
		return err
	}
	img, err := engine.NewImage(*row, setting, tasks)
	if err != nil {
		return err
	}
	im.add(row.ID, img)
	return nil
}

// forget drops what is in memory of attempts whose transaction failed: the store is right, the
// images are not. Who waits for their ends still does.
func (im *images) forget(ids []trowel.AttemptID) {
	for _, id := range ids {
		if known := im.byID[id]; known != nil {
			known.Image = nil
		}
	}
}

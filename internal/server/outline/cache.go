package outline

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"

	trowel "github.com/trowel-project/trowel"
)

const (
	// changedRows is how many rows of the audit a tree is brought up to date with; with more it is read anew.
	changedRows = 5000
	// rereadFraction is the part (1/rereadFraction) of the tasks of which more changes make it cheaper to read all.
	rereadFraction = 4
)

// Cache keeps trees of the attempts that were read last. It is safe for concurrent use.
type Cache struct {
	most int64 // bytes that all trees together may take; the last one is kept however large it is

	mu      sync.Mutex
	entries map[trowel.AttemptID]*list.Element // of *entry
	recent  *list.List                         // the last one in front
	bytes   int64
}

// entryBytes is what an attempt takes besides its tasks.
const entryBytes = 1024

// entry is the tree of one attempt.
type entry struct {
	id    trowel.AttemptID
	turn  chan struct{} // has room for who brings the tree up to date
	bytes int64         // as counted in the cache, under its lock

	mu   sync.Mutex // held while the tree is used or changes
	tree Tree
}

// NewCache returns a cache whose trees may take so many bytes.
func NewCache(most int64) *Cache {
	return &Cache{most: most, entries: map[trowel.AttemptID]*list.Element{}, recent: list.New()}
}

// Read calls f with the tree of an attempt, as it was when the transaction began or later. The attempt must be read in
// the same transaction. f must not block, as others wait to bring the tree up to date.
func (c *Cache) Read(ctx context.Context, tx trowel.Tx, a *trowel.Attempt, f func(t *Tree) error) error {
	e := c.entry(a.ID)
	if err := e.refresh(ctx, tx, a); err != nil {
		return fmt.Errorf("read the tree of attempt %d: %w", a.ID, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c.weigh(e, entryBytes+e.tree.bytes)
	return f(&e.tree)
}

// Has reports whether the tree of an attempt is in memory, so that Read is fast.
func (c *Cache) Has(id trowel.AttemptID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[id] != nil
}

// entry returns the entry of an attempt, which may have no tree yet.
func (c *Cache) entry(id trowel.AttemptID) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.entries[id]; at != nil {
		c.recent.MoveToFront(at)
		return at.Value.(*entry) //nolint:forcetypeassert // there are no others
	}
	e := &entry{id: id, turn: make(chan struct{}, 1)}
	c.entries[id] = c.recent.PushFront(e)
	return e
}

// weigh counts the bytes of an entry, and removes those that were not read for the longest time while there are too many.
func (c *Cache) weigh(e *entry, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[e.id] == nil {
		return // it was removed meanwhile
	}
	c.bytes += bytes - e.bytes
	e.bytes = bytes
	for c.bytes > c.most && c.recent.Len() > 1 {
		c.drop(c.recent.Back())
	}
}

func (c *Cache) drop(at *list.Element) {
	e, _ := c.recent.Remove(at).(*entry)
	c.bytes -= e.bytes
	delete(c.entries, e.id)
}

// refresh brings the tree up to date. Many who ask at the same time read once.
func (e *entry) refresh(ctx context.Context, tx trowel.Tx, a *trowel.Attempt) error {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	done := a.Flags&trowel.AttemptDone != 0
	e.mu.Lock()
	current := e.tree.Ended || e.tree.Version >= a.Version && e.tree.Root != nil && !done
	known := e.tree.Root != nil && !done
	e.mu.Unlock()
	if current {
		return nil
	}
	if known {
		if ok, err := e.update(ctx, tx, a); ok || err != nil {
			return err
		}
	}
	fresh, err := read(ctx, tx, a)
	if err != nil {
		return err
	}
	fresh.link()
	e.mu.Lock()
	e.tree = *fresh
	e.mu.Unlock()
	return nil
}

// read reads all tasks of an attempt.
func read(ctx context.Context, tx trowel.Tx, a *trowel.Attempt) (*Tree, error) {
	t := &Tree{Version: a.Version, Ended: a.Flags&trowel.AttemptDone != 0}
	put := func(row *trowel.TaskLine) error { t.put(row); return nil }
	if !t.Ended {
		var err error
		if t.lastAudit, err = tx.FindLastAudit(ctx, a.ID); err != nil {
			return nil, err
		}
		if err = tx.EachTaskLine(ctx, a.ID, 0, put); err != nil || len(t.nodes) > 0 {
			return t, err
		}
	}
	// An attempt without live tasks has ended, perhaps since the attempt was read, or has not begun.
	err := tx.EachArchivedLine(ctx, a.ID, put)
	if errors.Is(err, trowel.ErrNotFound) {
		return t, nil
	}
	t.Ended = t.Ended || err == nil
	return t, err
}

// update reads what has changed since the tree was read. It returns false if that is too much, or the tasks are gone: then
// the attempt has ended meanwhile.
func (e *entry) update(ctx context.Context, tx trowel.Tx, a *trowel.Attempt) (bool, error) {
	rows, err := tx.ListAuditRows(ctx, a.ID, e.tree.lastAudit, false, changedRows)
	if err != nil || len(rows) == changedRows {
		return false, err
	}
	changed := map[trowel.TaskID]struct{}{}
	last := e.tree.lastAudit
	for i := range rows {
		last = max(last, rows[i].ID)
		for j := range rows[i].Entries {
			if id := rows[i].Entries[j].TaskID; id != 0 {
				changed[id] = struct{}{}
			}
		}
	}
	if len(changed) > len(e.tree.nodes)/rereadFraction+lookups {
		return false, nil
	}
	newest := e.tree.nodes[len(e.tree.nodes)-1].ID
	var ids []trowel.TaskID
	for id := range changed {
		if id <= newest {
			ids = append(ids, id)
		}
	}
	lines, err := tx.FindTaskLines(ctx, a.ID, ids)
	if err != nil || len(lines) != len(ids) {
		return false, err
	}
	err = tx.EachTaskLine(ctx, a.ID, newest, func(row *trowel.TaskLine) error {
		lines = append(lines, row)
		return nil
	})
	if err != nil {
		return false, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	structure := false
	for _, row := range lines {
		structure = e.tree.put(row) || structure
	}
	if structure {
		e.tree.link()
	} else {
		e.tree.count()
	}
	e.tree.Version, e.tree.lastAudit = a.Version, last
	return true, nil
}

// lookups is how many tasks are looked up one by one even in a small tree.
const lookups = 64

package trowel

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// PoolID is the id of a Pool.
type PoolID int64

// Unlimited is the number of slots of a pool without limit.
const Unlimited = -1

// MostSlots is the largest number of slots that a pool may have, which fits any database.
const MostSlots = 1_000_000_000

// Pool limits how many tasks that name it run at the same time (control K801).
type Pool struct {
	// ID is zero until InsertPool sets it.
	ID PoolID

	// ProjectID is the only project whose tasks may use the pool. Zero for a pool of the site, which all may use.
	ProjectID ProjectID

	// Name is unique in the project, or on the site. See CheckPoolName.
	Name string

	// Slots is how much the tasks of the pool may take together, up to MostSlots. With zero nothing starts;
	// Unlimited is no limit.
	Slots int

	// Description is for people. Empty for none.
	Description string

	// IncludeDeferred lets tasks keep their slots while they are deferred.
	IncludeDeferred bool

	// Actor is who changed the pool last.
	Actor string

	// CreatedAt is when the pool was made.
	CreatedAt time.Time

	// UpdatedAt is when the pool was changed last.
	UpdatedAt time.Time
}

// Counter returns the name of the pool's counter, see LimitTx.
func (p *Pool) Counter() string { return CounterPool.Counter(strconv.FormatInt(int64(p.ID), 10)) }

// PoolTx is the part of a transaction about pools.
//
// Whoever changes a pool calls LockLimits first and RecountUses last.
type PoolTx interface {
	// InsertPool stores a new pool and sets its id. If the name is taken in its project, or on the
	// site, it returns ErrTaken.
	InsertPool(ctx context.Context, p *Pool) error
	// UpdatePool writes Slots, Description, IncludeDeferred, Actor and UpdatedAt.
	UpdatePool(ctx context.Context, p *Pool) error
	// DeletePool deletes a pool. If there is none, it returns ErrNotFound.
	DeletePool(ctx context.Context, id PoolID) error
	// ListPools returns all pools, those of the site first, in the order of their names.
	ListPools(ctx context.Context) ([]*Pool, error)
}

// Acquired are what a task has taken from limits: amounts by the names of counters. Nil for nothing. A running task that
// holds no slot of a pool has an implicit slot of DefaultPool. A task that no longer runs holds at most its place
// under a concurrency limit. It keeps that until it is done, also while it is planned (control K810).
type Acquired map[string]int

// LimitTx is the part of a transaction about the counters of limits. A counter says how much of a limit
// is in use. It changes in the same transaction in which a task or attempt takes something or gives it back.
// A counter that is not stored is zero.
//
// A writer locks attempts first and counters last, so that writers never wait for each other in a circle.
type LimitTx interface {
	// ShareLimits keeps the pools as they are until the transaction ends, and returns their version,
	// which RecountUses raises. Call it before tasks are claimed or give back what they hold. It also returns
	// who may write, which cannot change meanwhile either. A program that may not write claims nothing.
	ShareLimits(ctx context.Context) (version int64, writers Writers, err error)
	// CheckLimitsVersion is ShareLimits for a caller that knows the version. If it is another one, or this program may not
	// write any more, that is an ErrConflict, and the transaction must be rolled back. The error may come as late as
	// Sync.
	CheckLimitsVersion(ctx context.Context, version int64) error
	// LockLimits waits until no other transaction shares the limits, and keeps others from sharing them until
	// this one ends. Call it before pools are changed or counters are recounted.
	LockLimits(ctx context.Context) error
	// LockCounters locks counters and returns all of them.
	LockCounters(ctx context.Context, names []string) (map[string]int, error)
	// AddToCounters adds amounts to locked counters.
	AddToCounters(ctx context.Context, changes map[string]int) error
	// ListCounters returns all counters that are not zero. It does not lock them.
	ListCounters(ctx context.Context) (map[string]int, error)
	// CountAcquired works out what the counters should be from all tasks that have begun and are not done. This
	// is the sum of their Acquired. If the default pool has a limit, each running task that holds no slot of
	// another pool adds one to it.
	CountAcquired(ctx context.Context) (map[string]int, error)
	// RecountCounters writes what CountHolds returns. It returns the counters that were wrong, with what it
	// added to each.
	RecountCounters(ctx context.Context) (map[string]int, error)
}

// HasPool reports whether the task holds slots of a pool.
func (h Acquired) HasPool() bool {
	for name := range h {
		if KindOfCounter(name) == CounterPool {
			return true
		}
	}
	return false
}

// withoutSlot is the counter of no pool, see WithoutSlot.
const withoutSlot = string(CounterPool) + ":"

// WithoutSlot returns what a running task holds that takes nothing but what it held before. A mark in it, a pool without
// an id of which it holds nothing, keeps the task from counting as one that has a slot of the default pool.
func (h Acquired) WithoutSlot() Acquired {
	all := Acquired{withoutSlot: 0}
	maps.Copy(all, h)
	return all
}

// maxPoolName is the length of the longest allowed name of a pool.
const maxPoolName = 64

// CheckPoolName returns an error of kind invalid unless a text can be the name of a pool: 1 to 64 ASCII
// letters, digits, and the signs "_", "-" and ".".
func CheckPoolName(name string) error {
	isForeign := func(r rune) bool { return !isPoolNameLetter(r) }
	switch {
	case name == "":
		return &Error{Kind: ErrInvalid, Message: "a pool needs a name"}
	case len(name) > maxPoolName:
		return &Error{Kind: ErrInvalid, Message: fmt.Sprintf("the name of a pool has at most %d letters, not %d", maxPoolName, len(name))}
	case strings.ContainsFunc(name, isForeign):
		return &Error{Kind: ErrInvalid, Message: fmt.Sprintf("the name of a pool has letters, digits, _, - and . alone, not as in %q", name)}
	}
	return nil
}

func isPoolNameLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}

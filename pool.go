package trowel

import (
	"context"
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

// Pool bounds how many tasks that name it run at the same time (control K801).
type Pool struct {
	ID              PoolID
	ProjectID       ProjectID // whose tasks alone may use it; zero for a pool of the site
	Name            string
	Slots           int // zero: nothing starts; Unlimited
	Description     string
	IncludeDeferred bool // tasks keep their slots while they are deferred
	Actor           string
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Use is the name of the pool's counter, see LimitTx.
func (p *Pool) Use() string { return "pool:" + strconv.FormatInt(int64(p.ID), 10) }

// PoolTx is the part of a transaction about pools.
//
// Who changes a pool calls LockLimits first and RecountUses last.
type PoolTx interface {
	// InsertPool stores a new pool and gives it its id. A name that is taken in its project, or on the
	// site, is an ErrTaken.
	InsertPool(ctx context.Context, p *Pool) error
	// UpdatePool writes slots, description, include_deferred, actor and UpdatedAt.
	UpdatePool(ctx context.Context, p *Pool) error
	// DeletePool deletes a pool. One that is not there is an ErrNotFound.
	DeletePool(ctx context.Context, id PoolID) error
	// ListPools returns all pools, those of the site first, in the order of their names.
	ListPools(ctx context.Context) ([]*Pool, error)
}

// Holds are what a task has taken from limits: by the name of the counter, how much. A running task
// without a slot of a pool has one of DefaultPool. When it does not run any more it has at most its place under a concurrency
// limit, which it keeps until it is done, also while it is planned (control K810).
type Holds map[string]int

// ConcurrencyUse is how the names of counters of concurrency limits begin (control K810).
const ConcurrencyUse = "concurrency:"

// LimitTx is the part of a transaction about the counters of limits. A counter says how much of a limit
// is used; it changes in the transaction in which a task or attempt takes something or gives it back.
// Counters that are not stored are zero.
//
// A writer locks attempts first and counters last, so that no two wait for one another.
type LimitTx interface {
	// ShareLimits keeps the pools as they are until the end of the transaction, and returns their version,
	// which RecountUses raises: to be called before tasks are claimed or give back what they hold. It also returns
	// who may write, which stays so for as long: whoever may not claims nothing.
	ShareLimits(ctx context.Context) (version int64, writers Writers, err error)
	// ExpectLimits is ShareLimits for one who knows the version. If it is another, or this build may not write any
	// more, that is an ErrConflict, which Settle may tell, and nothing of the transaction may be kept.
	ExpectLimits(ctx context.Context, version int64) error
	// LockLimits waits until nobody shares them, and keeps others from it until the end of the
	// transaction: to be called before pools are changed or counters are recounted.
	LockLimits(ctx context.Context) error
	// LockUses locks counters and returns them. All are in the answer.
	LockUses(ctx context.Context, names []string) (map[string]int, error)
	// AddUses adds to locked counters.
	AddUses(ctx context.Context, changes map[string]int) error
	// ListUses returns all counters that are not zero, without locking them.
	ListUses(ctx context.Context) (map[string]int, error)
	// CountHolds recounts from all tasks that are begun and not done what the counters must be: the sums of
	// Holds, and for the default pool, if it has a limit, one for each running task that holds no slot of
	// another.
	CountHolds(ctx context.Context) (map[string]int, error)
	// RecountUses writes what CountHolds counts, and returns the counters that were wrong: how much is
	// added to each.
	RecountUses(ctx context.Context) (map[string]int, error)
}

// HasPool reports whether slots of a pool are among the holds.
func (h Holds) HasPool() bool {
	for name := range h {
		if strings.HasPrefix(name, "pool:") {
			return true
		}
	}
	return false
}

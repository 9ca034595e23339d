package ops

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Limits of one page of the audit of an attempt.
const (
	auditRowBatch     = 50
	maxEntriesScanned = 50_000 // entries that are read for one page
	maxRecords        = 1000   // of one attempt
)

// listAttempt lists the records of an attempt and the transitions of its tasks, ordered by time.
func (h *audits) listAttempt(c *rest.Call, q *auditQuery) (any, error) {
	limit, key, err := c.PageNumbers(3)
	if err != nil {
		return nil, err
	}
	var list api.AuditList
	err = c.View(func(tx trowel.Tx) error {
		s, err := attemptOfAudit(c, tx, q.filter.AttemptID)
		if err != nil {
			return err
		}
		moves := &history{Call: c, tx: tx, cache: h.names, query: q, attempt: s}
		if err := moves.begin(key); err != nil {
			return err
		}
		list, err = moves.page(limit)
		return err
	})
	return list, err
}

// history reads the audit of one attempt from a cursor on.
type history struct {
	*rest.Call
	cache   *nameCache
	tx      trowel.Tx
	query   *auditQuery
	attempt *trowel.AttemptSummary
	names   map[trowel.TaskID]string
	wants   func(trowel.TaskID) bool

	records  []*trowel.AuditRecord // not taken yet
	recorded map[string]bool       // actors and actions of all records
	record   int64                 // id of the last one taken

	rows []trowel.AuditRow // not read to their ends yet
	at   int               // entries of the first row that were read
	last int64             // id of the last row from the store
	end  bool              // there are no more rows
	row  int64             // id of the row of the last entry taken
	read int               // entries of that row that were taken
}

// begin reads what all pages need, and goes to the position of key: row, entries taken of it, record.
func (h *history) begin(key []int64) (err error) {
	if h.names, err = h.cache.find(h.Call, h.tx, h.attempt.Attempt.ID); err != nil {
		return err
	}
	if h.wants, err = taskMatcher(h.query.task, h.names); err != nil {
		return err
	}
	all, err := h.tx.ListRecords(h.Ctx(), trowel.RecordFilter{AttemptID: h.attempt.Attempt.ID, Limit: maxRecords})
	if err != nil {
		return err
	}
	if h.query.ascending {
		slices.Reverse(all)
	}
	h.recorded = map[string]bool{}
	for _, r := range all {
		h.recorded[r.Action+" "+r.Actor] = true
		passed := key != nil && key[2] != 0 && (r.ID == key[2] || (r.ID < key[2]) == h.query.ascending)
		if !passed && h.query.task == "" {
			h.records = append(h.records, r)
		}
	}
	if key == nil {
		return nil
	}
	h.row, h.read, h.record = key[0], int(key[1]), key[2]
	if h.row == 0 {
		return nil // no transition was taken
	}
	if h.last = key[0] - 1; !h.query.ascending {
		h.last = key[0] + 1
	}
	if err := h.fill(); err != nil {
		return err
	}
	if len(h.rows) > 0 && h.rows[0].ID == key[0] {
		h.at = h.read
	}
	return nil
}

// fill reads more rows if none is left.
func (h *history) fill() (err error) {
	for len(h.rows) > 0 && h.at >= len(h.rows[0].Entries) {
		h.rows, h.at = h.rows[1:], 0
	}
	if len(h.rows) > 0 || h.end {
		return nil
	}
	h.rows, err = h.tx.ListAuditRows(h.Ctx(), h.attempt.Attempt.ID, h.last, !h.query.ascending, auditRowBatch)
	if err != nil || len(h.rows) == 0 {
		h.end = true
		return err
	}
	h.last, h.at = h.rows[len(h.rows)-1].ID, 0
	return nil
}

// move returns the next transition without taking it; nil if there is none.
func (h *history) move() (*trowel.AuditEntry, error) {
	if err := h.fill(); err != nil || len(h.rows) == 0 {
		return nil, err
	}
	entries := h.rows[0].Entries
	if h.query.ascending {
		return &entries[h.at], nil
	}
	return &entries[len(entries)-1-h.at], nil
}

// page reads up to limit entries.
func (h *history) page(limit int) (api.AuditList, error) {
	list := api.AuditList{Items: api.List[api.AuditEntry]{}}
	projects := projectNames{}
	for looks := 0; ; looks++ {
		move, err := h.move()
		if err != nil {
			return list, err
		}
		if move == nil && len(h.records) == 0 {
			return list, nil
		}
		if len(list.Items) == limit || looks == maxEntriesScanned {
			list.Next = rest.NumberCursor(h.row, int64(h.read), h.record)
			return list, nil
		}
		var entry api.AuditEntry
		if h.recordIsNext(move) {
			r := h.records[0]
			h.records, h.record = h.records[1:], r.ID
			entry, err = recordEntry(h.Call, h.tx, r, projects)
		} else {
			id := "m" + strconv.FormatInt(h.rows[0].ID, 10) + "." + strconv.Itoa(h.at)
			h.row, h.at = h.rows[0].ID, h.at+1
			h.read = h.at
			if h.recorded["attempt."+move.Cause+" "+move.Actor] && move.TaskID == 0 || !h.wants(move.TaskID) || h.query.task != "" && move.TaskID == 0 {
				continue
			}
			entry = h.moveEntry(id, move)
		}
		if err != nil {
			return list, err
		}
		if h.query.matches(&entry) {
			list.Items = append(list.Items, entry)
		}
	}
}

// recordIsNext reports whether the next record comes before the next transition. At equal times it does, since it is the
// cause of the transitions.
func (h *history) recordIsNext(move *trowel.AuditEntry) bool {
	switch {
	case len(h.records) == 0:
		return false
	case move == nil:
		return true
	case h.query.ascending:
		return !h.records[0].At.After(move.At)
	default:
		return h.records[0].At.After(move.At)
	}
}

// matches reports whether an entry passes the filters.
func (q *auditQuery) matches(e *api.AuditEntry) bool {
	f := &q.filter
	at, err := api.ParseInstant(e.At)
	switch {
	case f.Actor != "" && e.Actor.Name != f.Actor, f.Source != "" && e.Source != f.Source:
		return false
	case f.Action != "" && e.Action != f.Action && !strings.HasPrefix(e.Action, f.Action+"."):
		return false
	case err == nil && !f.From.IsZero() && at.Before(f.From), err == nil && !f.To.IsZero() && !at.Before(f.To):
		return false
	}
	return true
}

// nameCache has the names of the tasks of the last archived attempt. Its history is read page by page, and each page
// would read the whole archive again.
type nameCache struct {
	mu      sync.Mutex
	attempt trowel.AttemptID
	names   map[trowel.TaskID]string
}

// find returns the full names of an attempt's tasks. They never change.
func (n *nameCache) find(c *rest.Call, tx trowel.Tx, id trowel.AttemptID) (map[trowel.TaskID]string, error) {
	n.mu.Lock()
	known, of := n.names, n.attempt
	n.mu.Unlock()
	if of == id {
		return known, nil
	}
	names, err := tx.ListTaskNames(c.Ctx(), id)
	if err != nil || len(names) > 0 {
		return names, err
	}
	tasks, err := tx.ListArchivedTasks(c.Ctx(), id)
	if errors.Is(err, trowel.ErrNotFound) {
		return names, nil // it has not begun
	}
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		names[t.ID] = t.FullName
	}
	n.mu.Lock()
	n.attempt, n.names = id, names
	n.mu.Unlock()
	return names, nil
}

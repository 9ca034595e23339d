package store

import (
	"context"
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// A search reads the ids of a page, and then the summaries until they reach the largest number of bytes. Its indexes
// have the flags before the time. So it reads a page for each of the few values of the flags that mean the wanted
// status, and merges these. It never reads more than a page for any of them, however rare the status is. Attempts with
// flags of later versions are found in addition.
const (
	searchPage    = `SELECT id, created_at FROM (SELECT a.id, a.created_at FROM attempt a`
	isLastAttempt = `EXISTS (SELECT 1 FROM session s WHERE s.id = a.session_id AND s.last_attempt_id <= a.id)`
)

// allFlags is one more than the largest value of the known flags of an attempt.
const allFlags = trowel.AttemptCancelRequested + trowel.AttemptDone + trowel.AttemptSuccess + 1

func (t *tx) SearchAttempts(ctx context.Context, q trowel.AttemptSearch) (page []*trowel.AttemptSummary, more bool, err error) {
	limit := q.Limit
	q.Limit++
	text, args := searchText(&q)
	if text == "" {
		return nil, false, fmt.Errorf("%w: %q is no status of an attempt", trowel.ErrInvalid, q.Status)
	}
	var ids []trowel.AttemptID
	err = t.rows(ctx, text, args, func(scan func(...any) error) error {
		var id trowel.AttemptID
		var at int64
		err := scan(&id, &at)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("search attempts: %w", err)
	}
	if len(ids) == 0 {
		return nil, false, nil
	}
	if more = len(ids) > limit; more {
		ids = ids[:limit]
	}
	way := " DESC"
	if q.Ascending {
		way = ""
	}
	page, err = t.summaries(ctx, sqlSelectSummary+` WHERE a.id IN (`+manyPlaces(len(ids))+`) ORDER BY a.created_at`+way+`, a.id`+way, padded(ids), q.MaxBytes)
	if err != nil {
		return nil, false, fmt.Errorf("read the attempts of a search: %w", err)
	}
	// Attempts that were deleted meanwhile are missing, so there may be more even if the page is short.
	return page, more || len(page) > 0 && page[len(page)-1].Attempt.ID != ids[len(ids)-1], nil
}

// searchText returns the statement that finds the ids of a page. It is empty if no flags mean the status.
func searchText(q *trowel.AttemptSearch) (string, []any) {
	var s selection
	if q.Project != 0 {
		s.and("a.project_id = ?", q.Project)
	}
	if q.Workflow != "" {
		s.and("a.workflow = ?", q.Workflow)
	}
	if !q.CreatedFrom.IsZero() {
		s.and("a.created_at >= ?", micros(q.CreatedFrom))
	}
	if !q.CreatedTo.IsZero() {
		s.and("a.created_at < ?", micros(q.CreatedTo))
	}
	way, compare := " DESC", "<"
	if q.Ascending {
		way, compare = "", ">"
	}
	if q.After != nil {
		s.and("(a.created_at, a.id) "+compare+" (?, ?)", micros(q.After.CreatedAt), q.After.ID)
	}
	if q.LastOnly {
		s.and(isLastAttempt)
	}
	limit := s.place(q.Limit)
	var parts, known []string
	part := func(flags string) {
		conditions := append([]string{flags}, s.conditions...)
		parts = append(parts, searchPage+" WHERE "+strings.Join(conditions, " AND ")+
			" ORDER BY a.created_at"+way+", a.id"+way+" LIMIT "+limit+") AS page")
	}
	for flags := range allFlags {
		if q.Status == "" || flags.Status() == q.Status {
			place := s.place(int64(flags))
			known = append(known, place)
			part("a.flags = " + place)
		}
	}
	if len(parts) == 0 {
		return "", nil
	}
	most := s.place(int64(allFlags - 1))
	part("a.flags > " + most + " AND (a.flags & " + most + ") IN (" + strings.Join(known, ", ") + ")")
	return strings.Join(parts, " UNION ALL ") + " ORDER BY created_at" + way + ", id" + way + " LIMIT " + limit, s.args
}

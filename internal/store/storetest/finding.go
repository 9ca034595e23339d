package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// Findings are stored with their revision, whatever their texts contain. Another revision has none.
func testFindings(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	want := trowel.Findings{Total: 3000, List: []trowel.Finding{
		{File: "a.dig", Line: 1, Column: 2, Rule: "value", Message: "\x00 \x1b[2J \u202e'\"\\", Source: "+a: {}", Hint: "none"},
		{File: ".", Rule: "no-workflow", Message: "m"},
	}}
	other := trowel.Revision{Name: "r2", CreatedAt: at(1)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(
			tx.InsertFindings(ctx, s.Revision.ID, want), tx.InsertRevision(ctx, &trowel.Project{Name: "p", CreatedAt: at(1)}, &other, nil),
		)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindFindings(ctx, s.Revision.ID)
		equal(t, "FindFindings", got, want)
		none, errNone := tx.FindFindings(ctx, other.ID)
		equal(t, "FindFindings of a revision without", none, trowel.Findings{})
		return errors.Join(err, errNone)
	})
}

package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// All fields of a token come back, also when it is revoked. A hash is stored once.
func testTokens(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	full := &trowel.Token{
		Name: "ci", Hash: []byte("\x00\xff2345678901234567890123456789012"), Role: "writer", ProjectID: s.Project.ID, Actor: "somebody",
		CreatedAt: at(1), LastUsedAt: at(2), ExpiresAt: at(3), RevokedAt: at(4),
	}
	plain := &trowel.Token{Name: "ci", Hash: []byte("other"), Role: "admin", CreatedAt: at(1)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertToken(ctx, full), tx.InsertToken(ctx, plain))
	})
	if plain.ID <= full.ID {
		t.Errorf("ids of tokens are %d and %d, want growing ones", full.ID, plain.ID)
	}
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertToken(ctx, &trowel.Token{Name: "x", Hash: []byte("other"), Role: "admin", CreatedAt: at(1)})
	})
	plain.LastUsedAt, plain.RevokedAt = at(60), at(61)
	full.RevokedAt = at(62)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		changed := *plain
		changed.Name, changed.Role = "changed", "changed" // stay
		return errors.Join(tx.UpdateToken(ctx, &changed), tx.UpdateToken(ctx, full))
	})
	plain.LastUsedAt = at(120)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.TouchToken(ctx, plain.ID, at(120)), tx.TouchToken(ctx, plain.ID, at(90)), tx.TouchToken(ctx, 99, at(1)))
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindToken(ctx, full.Hash)
		equal(t, "FindToken", got, full)
		list, errList := tx.ListTokens(ctx)
		equal(t, "ListTokens", list, []*trowel.Token{full, plain})
		_, errUnknown := tx.FindToken(ctx, []byte("unknown"))
		wantNotFound(t, map[string]error{"FindToken(unknown)": errUnknown})
		return errors.Join(err, errList)
	})
}

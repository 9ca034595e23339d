package store

import (
	"context"
	"fmt"
	"strings"
)

// PostgreSQL commits transactions that notify one after the other: four writers make 1,500 commits a
// second with it and 3,300 without; one writer notices nothing. So it is for one in a flush.
const sqlNotifyPostgres = `SELECT pg_notify($1, $2)`

// Notify sends the topic with the commit, behind the id of this store.
func (t *tx) Notify(ctx context.Context, topic string) error {
	if t.dialect.Channel == "" {
		return nil // no other process hears of it
	}
	notify := pipedStatement{table: "notifications", columns: "channel TEXT, topic TEXT", one: sqlNotifyPostgres}
	err := t.send(ctx, notify, 1, func(v *values, _ int) {
		v.name(t.dialect.Channel)
		v.name(t.store + " " + topic)
	}, nil)
	if err != nil {
		return fmt.Errorf("notify others of %s: %w", topic, err)
	}
	return nil
}

// Listen tells what other stores notify. A database without notifications tells nothing.
func (db *DB) Listen(ctx context.Context, heard func(topic string)) error {
	if db.dialect.Listen == nil {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return db.dialect.Listen(ctx, db.dialect.Channel, func(payload string) {
		sender, topic, _ := strings.Cut(payload, " ")
		if sender != db.id {
			heard(topic)
		}
	})
}

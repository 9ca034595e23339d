package store

import (
	"context"
	"fmt"
	"strings"
)

// PostgreSQL commits transactions that notify one after the other. Four writers make 1,500 commits a
// second with it and 3,300 without; for one writer it makes no difference. So only one transaction of a flush notifies.
const sqlNotifyPostgres = `SELECT pg_notify($1, $2)`

// Notify sends the topic with the commit, after the id of this store.
func (t *tx) Notify(ctx context.Context, topic string) error {
	if t.dialect.Channel == "" {
		return nil // no other process would hear it
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

// Listen reports what other stores notify. A database without notifications reports nothing.
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

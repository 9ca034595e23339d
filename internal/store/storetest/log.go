package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// newChunks makes n chunks of a file.
func newChunks(a *trowel.Attempt, file string, n int) (list []trowel.LogChunk) {
	for i := range n {
		data := fmt.Appendf(nil, "gzip\x00\xff%d", i)
		list = append(list, trowel.LogChunk{
			AttemptID: a.ID, File: file, Seq: i, FirstLine: int64(10 * i), Lines: 10, Offset: int64(100 * i), TextBytes: 100,
			DataBytes: int64(len(data)), Data: data, Searched: i > 0, ErrorAt: int64([]int{0, -1, 0, 99, -1}[i%5]),
		})
	}
	return list
}

func insertChunks(t *testing.T, db trowel.Store, chunks ...trowel.LogChunk) {
	t.Helper()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertLogChunks(ctx, chunks) })
}

// Chunks are returned in order, with their data only when it is asked for. One that is stored twice
// stays as it was.
func testLogChunks(t *testing.T, db trowel.Store) {
	a := newAttempt(t, db, newSetting(t, db), "")
	want := newChunks(a, "+w+a@1.log.gz", 5)
	insertChunks(t, db, want[2], want[0], want[1])
	again := want[1]
	again.Data, again.Lines = []byte("other"), 99
	insertChunks(t, db, again, want[3])
	insertChunks(t, db)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertNewLogChunks(ctx, want[4:]) })
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertNewLogChunks(ctx, []trowel.LogChunk{again})
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		all, errAll := tx.ListLogChunks(ctx, a.ID, want[0].File, 0, 100, true)
		equal(t, "ListLogChunks with data", all, want)
		some, errSome := tx.ListLogChunks(ctx, a.ID, want[0].File, 1, 2, false)
		without := []trowel.LogChunk{want[1], want[2]}
		without[0].Data, without[1].Data = nil, nil
		equal(t, "ListLogChunks without data", some, without)
		for seq, found := range map[int]int{100: 3, 4: 3, 3: 2, 2: 0, 1: 0} {
			c, err := tx.FindErrorChunk(ctx, a.ID, want[0].File, seq)
			if err != nil || c.Seq != found || c.Searched != (found > 0) || c.ErrorAt != want[found].ErrorAt {
				t.Errorf("FindErrorChunk before %d = %+v, %v, want chunk %d", seq, c, err, found)
			}
		}
		_, errFirst := tx.FindErrorChunk(ctx, a.ID, want[0].File, 0)
		wantNotFound(t, map[string]error{"FindErrorChunk before the first": errFirst})
		none, errNone := tx.ListLogChunks(ctx, a.ID, want[0].File, 5, 100, true)
		equal(t, "number of chunks behind the last", len(none), 0)
		return errors.Join(errAll, errSome, errNone)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertLogChunks(ctx, newChunks(&trowel.Attempt{ID: 999}, "f", 1))
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertNewLogChunks(ctx, newChunks(&trowel.Attempt{ID: 999}, "f", 1))
	})
}

// Files are summed up in the order of their names. The prefix of a name is matched literally.
func testLogFiles(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	for _, name := range []string{"+w+b", "+w+B", "+w+a_b", "+w+aXb", "+w+a"} {
		insertChunks(t, db, newChunks(a, name, 3)...)
	}
	insertChunks(t, db, newChunks(other, "+w+a", 1)...)
	file := func(name string) trowel.LogFile {
		return trowel.LogFile{Name: name, DataBytes: 21, TextBytes: 300, Lines: 30, Chunks: 3}
	}
	for prefix, want := range map[string][]trowel.LogFile{
		"":         {file("+w+B"), file("+w+a"), file("+w+aXb"), file("+w+a_b"), file("+w+b")},
		"+w+a_":    {file("+w+a_b")},
		"+w+a":     {file("+w+a"), file("+w+aXb"), file("+w+a_b")},
		"+w+c":     nil,
		"+w+b@a%b": nil,
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListLogFiles(ctx, a.ID, prefix)
			equal(t, "ListLogFiles("+prefix+")", got, want)
			return err
		})
	}
}

// Chunks move into blobs once their attempt is done. A file has the key of a blob that contains nothing else.
func testPackedLogs(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, running, quiet := newAttempt(t, db, s, ""), newAttempt(t, db, s, "running"), newAttempt(t, db, s, "quiet")
	later := newAttempt(t, db, s, "later")
	alone, first, second, half := newChunks(a, "alone", 2), newChunks(a, "first", 2), newChunks(a, "second", 2), newChunks(a, "half", 2)
	insertChunks(t, db, append(append(append(append([]trowel.LogChunk{}, alone...), first...), second...), half...)...)
	insertChunks(t, db, append(newChunks(running, "f", 2), newChunks(later, "f", 2)...)...)
	unpacked := func(limit int, want ...trowel.AttemptID) {
		t.Helper()
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListUnpackedLogs(ctx, limit)
			equal(t, "ListUnpackedLogs", got, want)
			return err
		})
	}
	unpacked(10)
	for _, row := range []*trowel.Attempt{a, quiet, later} {
		row.Flags, row.FinishedAt = trowel.AttemptDone, at(9)
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, row) })
	}
	unpacked(10, a.ID, later.ID)
	unpacked(1, a.ID)
	place := func(chunks []trowel.LogChunk, blob string, offset int64) {
		for i := range chunks {
			chunks[i].Data, chunks[i].BlobKey, chunks[i].BlobOffset = nil, blob, offset
			offset += chunks[i].DataBytes
		}
	}
	place(alone, "blob/alone", 0)
	place(first, "blob/pack", 0)
	place(second, "blob/pack", 14)
	place(half[:1], "blob/half", 0)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.MoveLogChunks(ctx, alone), tx.MoveLogChunks(ctx, first), tx.MoveLogChunks(ctx, second), tx.MoveLogChunks(ctx, half[:1]))
	})
	unpacked(10, a.ID, later.ID)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.ListLogChunks(ctx, a.ID, "second", 0, 10, true)
		equal(t, "chunks in a blob", got, second)
		files, errFiles := tx.ListLogFiles(ctx, a.ID, "")
		keys := map[string]string{}
		for _, f := range files {
			keys[f.Name] = f.BlobKey
		}
		equal(t, "blobs of files", keys, map[string]string{"alone": "blob/alone", "first": "", "second": "", "half": ""})
		return errors.Join(err, errFiles)
	})
	place(half[1:], "blob/half", half[0].DataBytes)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.MoveLogChunks(ctx, half) })
	unpacked(10, later.ID)
	insertChunks(t, db, newChunks(a, "late", 1)...)
	unpacked(10, a.ID, later.ID)
	refuse(t, db, trowel.ErrNotFound, func(ctx context.Context, tx trowel.Tx) error {
		return tx.MoveLogChunks(ctx, newChunks(a, "unknown", 1))
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		keys, err := tx.DeleteLogs(ctx, a.ID)
		equal(t, "DeleteLogs", keys, []string{"blob/alone", "blob/half", "blob/pack"})
		none, errNone := tx.DeleteLogs(ctx, a.ID)
		equal(t, "number of blobs of no logs", len(none), 0)
		return errors.Join(err, errNone)
	})
	unpacked(10, later.ID)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		files, err := tx.ListLogFiles(ctx, a.ID, "")
		equal(t, "number of files after the deletion", len(files), 0)
		others, errOthers := tx.ListLogFiles(ctx, running.ID, "")
		equal(t, "number of files of another attempt", len(others), 1)
		return errors.Join(err, errOthers)
	})
}

package main

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// message is one of either side.
type message interface {
	Encode(dst []byte) ([]byte, error)
}

// encode is messages as they are on a connection.
func encode(tb testing.TB, messages ...message) []byte {
	tb.Helper()
	var text []byte
	for _, m := range messages {
		var err error
		if text, err = m.Encode(text); err != nil {
			tb.Fatal(err)
		}
	}
	return text
}

// The counts do not depend on where reads end.
func TestWireCounts(t *testing.T) {
	t.Parallel()
	asking := encode(t, &pgproto3.SSLRequest{})
	requests := encode(t,
		&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "trowel"}},
		&pgproto3.Query{String: "BEGIN"},
		&pgproto3.Parse{Query: "UPDATE task SET state = $1"}, &pgproto3.Bind{Parameters: [][]byte{make([]byte, 700)}}, &pgproto3.Execute{},
		&pgproto3.Sync{}, &pgproto3.Terminate{},
	)
	rows := []message{&pgproto3.AuthenticationOk{}, &pgproto3.ReadyForQuery{TxStatus: 'I'}, &pgproto3.CommandComplete{CommandTag: []byte("BEGIN")}}
	for range 3 {
		rows = append(rows, &pgproto3.DataRow{Values: [][]byte{[]byte("C"), make([]byte, 300)}})
	}
	rows = append(rows, &pgproto3.NotificationResponse{Channel: "C", Payload: "attempts 1"}, &pgproto3.CommandComplete{CommandTag: []byte("UPDATE 3")}, &pgproto3.ReadyForQuery{TxStatus: 'T'})
	answers := append([]byte{'N'}, encode(t, rows...)...)
	const wantMessages, wantStatements = 1 + 7 + 1 + 9, 2
	for size := range requests {
		t.Run(fmt.Sprintf("pieces of %d", size+1), func(t *testing.T) {
			t.Parallel()
			var got wireCounts
			back := &fromDatabase{counts: &got}
			forth := &fromClient{counts: &got, answer: back}
			write := func(to interface{ Write([]byte) (int, error) }, text []byte) {
				for len(text) > 0 {
					piece := text[:min(size+1, len(text))]
					if n, err := to.Write(piece); n != len(piece) || err != nil {
						t.Fatalf("Write = %d, %v, want %d", n, err, len(piece))
					}
					text = text[len(piece):]
				}
			}
			write(forth, asking)
			write(back, answers[:1])
			write(forth, requests)
			write(back, answers[1:])
			if n := got.messages.Load(); n != wantMessages {
				t.Errorf("messages = %d, want %d", n, wantMessages)
			}
			if n := got.statements.Load(); n != wantStatements {
				t.Errorf("statements = %d, want %d", n, wantStatements)
			}
		})
	}
}

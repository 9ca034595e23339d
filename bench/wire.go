package main

import (
	"encoding/binary"
	"sync/atomic"
)

// wireCounts are what programs and PostgreSQL have told each other.
type wireCounts struct {
	messages   atomic.Int64 // both ways
	statements atomic.Int64 // that the database has executed
}

// Codes in place of a version of the protocol, in the first message of a connection.
const (
	askTLS    = 80877103
	askGSSAPI = 80877104
)

// commandComplete is the type of the message by which the database ends each statement.
const commandComplete = 'C'

// fromClient counts the messages that a client sends. The first one of a connection has no type.
type fromClient struct {
	counts *wireCounts
	answer *fromDatabase // the other direction of the connection
	frame  frame
	begun  bool // messages have a type from now on
}

// Write counts what is in the next piece of the connection, which may end within a message.
func (c *fromClient) Write(piece []byte) (int, error) {
	n := len(piece)
	for len(piece) > 0 {
		var whole []byte
		if c.begun {
			whole, piece = c.frame.next(piece, 5)
		} else {
			whole, piece = c.frame.next(piece, 8)
		}
		if whole == nil {
			continue
		}
		c.counts.messages.Add(1)
		if c.begun {
			continue
		}
		switch binary.BigEndian.Uint32(whole[4:]) {
		case askTLS, askGSSAPI:
			c.answer.bare.Add(1)
		default:
			c.begun = true
		}
	}
	return n, nil
}

// fromDatabase counts the messages that the database sends.
type fromDatabase struct {
	counts *wireCounts
	frame  frame
	bare   atomic.Int32 // so many answers come that are a byte without a length
}

// Write counts what is in the next piece of the connection, which may end within a message.
func (d *fromDatabase) Write(piece []byte) (int, error) {
	n := len(piece)
	for len(piece) > 0 {
		if d.frame.between() && d.bare.Load() > 0 {
			d.bare.Add(-1)
			d.counts.messages.Add(1)
			piece = piece[1:]
			continue
		}
		var head []byte
		if head, piece = d.frame.next(piece, 5); head == nil {
			continue
		}
		d.counts.messages.Add(1)
		if head[0] == commandComplete {
			d.counts.statements.Add(1)
		}
	}
	return n, nil
}

// frame finds where messages begin and end.
type frame struct {
	head []byte // of the present message, as far as it has come
	skip int    // bytes of its body that are still to come
}

// between reports whether the next byte begins a message.
func (f *frame) between() bool { return len(f.head) == 0 && f.skip == 0 }

// next takes bytes from a piece, and returns what is left of it. With the last byte of a head it returns the head:
// a type and a length, or, where heads have 8 bytes, a length and a code. The length counts itself.
func (f *frame) next(piece []byte, size int) (head, left []byte) {
	if f.skip > 0 {
		n := min(f.skip, len(piece))
		f.skip -= n
		return nil, piece[n:]
	}
	n := min(size-len(f.head), len(piece))
	f.head = append(f.head, piece[:n]...)
	if len(f.head) < size {
		return nil, piece[n:]
	}
	head, f.head = f.head, nil
	if size == 5 {
		f.skip = int(binary.BigEndian.Uint32(head[1:])) - 4
	} else {
		f.skip = int(binary.BigEndian.Uint32(head)) - 8
	}
	return head, piece[n:]
}

package sqldb

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"sync"
	"time"
)

const (
	scramKept    = 256 // logins at a time
	scramKeptFor = 10 * time.Minute
)

// scramName is what the keys of a login are found by.
type scramName [sha256.Size]byte

// scramCache keeps the keys of logins that have succeeded, so that only the first of many sessions takes the time of
// the rounds. They are found by a hash of all that they depend on, made with a random key: no password can be read from it.
//
// Host, port and user belong to that. Otherwise a server of somebody's own could ask with the salt of another server, and see by the time
// of the answer whether a guessed password is the one that is used there. It is safe for concurrent use.
type scramCache struct {
	secret [sha256.Size]byte
	mu     sync.Mutex
	keys   map[scramName]scramKeys
}

func newScramCache() *scramCache {
	c := &scramCache{keys: map[scramName]scramKeys{}}
	rand.Read(c.secret[:]) // never fails
	return c
}

// name returns what the keys of a login are found by.
func (c *scramCache) name(to login, salt []byte, rounds int) (name scramName) {
	mac := hmac.New(sha256.New, c.secret[:])
	for _, part := range []string{to.host, strconv.Itoa(to.port), to.user, to.password, string(salt), strconv.Itoa(rounds)} {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	mac.Sum(name[:0])
	return name
}

// find returns keys that are kept.
func (c *scramCache) find(name scramName) (keys scramKeys, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys, found = c.keys[name]
	return keys, found
}

// keep keeps the keys of a login that has succeeded, for a while. If there are too many, it forgets any others.
func (c *scramCache) keep(name scramName, keys scramKeys) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, found := c.keys[name]; found {
		return
	}
	for other := range c.keys {
		if len(c.keys) < scramKept {
			break
		}
		delete(c.keys, other)
	}
	c.keys[name] = keys
	time.AfterFunc(scramKeptFor, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.keys, name)
	})
}

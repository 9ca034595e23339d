package sqldb

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The example of RFC 7677.
func TestScramExample(t *testing.T) {
	t.Parallel()
	e := &scramExchange{mechanism: scramPlain, header: "n,,", nonce: "rOprNGfwEbeRWgbNEkqO"}
	e.first = "n=user,r=" + e.nonce
	salt, rounds, err := e.challenged([]byte("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := deriveScramKeys("pencil", salt, rounds)
	if err != nil {
		t.Fatal(err)
	}
	want := "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
	if got := string(e.prove(keys)); got != want {
		t.Errorf("the proof = %s, want %s", got, want)
	}
	if err := e.verify(keys, []byte("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")); err != nil {
		t.Errorf("the server's proof: %v", err)
	}
	if err := e.verify(keys, []byte("v="+strings.Repeat("A", 43)+"=")); err == nil {
		t.Error("another proof is taken for the server's")
	}
}

// What a server says that lies, or that is none.
func TestScramChallenge(t *testing.T) {
	t.Parallel()
	salt := base64.StdEncoding.EncodeToString([]byte("salt"))
	for _, c := range []struct {
		challenge string // with %s for our nonce
		ok        bool
	}{
		{"r=%sx,s=" + salt + ",i=4096", true},
		{"r=%sx,s=" + salt + ",i=1000000", true},
		{"r=%sx,s=" + salt + ",i=1000001", false},
		{"r=%sx,s=" + salt + ",i=0", false},
		{"r=%sx,s=" + salt + ",i=many", false},
		{"r=%sx,s=" + salt, false},
		{"r=%sx,s=!,i=4096", false},
		{"r=%sx,s=,i=4096", false},
		{"r=%s,s=" + salt + ",i=4096", false}, // nothing of the server's
		{"r=other%s,s=" + salt + ",i=4096", false},
		{"m=new,r=%sx,s=" + salt + ",i=4096", false},
		{"%s", false},
	} {
		e, err := newScramExchange([]string{scramPlain}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.challenged(fmt.Appendf(nil, c.challenge, e.nonce)); (err == nil) != c.ok {
			t.Errorf("%s: the error is %v", c.challenge, err)
		}
	}
	if _, err := newScramExchange([]string{"OAUTHBEARER"}, nil); err == nil {
		t.Error("a mechanism that is not known is used")
	}
}

// Keys are found for the same login alone, and for a while.
func TestScramCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newScramCache()
		to := login{host: "db", port: 5432, user: "u", password: "p", database: "d"}
		name := c.name(to, []byte("salt"), 4096)
		c.keep(name, scramKeys{client: [32]byte{1}})
		other := to
		other.database, other.schema = "e", "s"
		if c.name(other, []byte("salt"), 4096) != name {
			t.Error("the keys depend on the database")
		}
		for _, change := range []func(*login){
			func(l *login) { l.host = "db2" },
			func(l *login) { l.port = 5433 },
			func(l *login) { l.user, l.password = "up", "" },
			func(l *login) { l.password = "q" },
		} {
			other := to
			change(&other)
			if c.name(other, []byte("salt"), 4096) == name {
				t.Errorf("%+v has the keys of another login", other)
			}
		}
		if c.name(to, []byte("salt"), 4097) == name || c.name(to, []byte("tlas"), 4096) == name || newScramCache().name(to, []byte("salt"), 4096) == name {
			t.Error("the keys do not depend on salt, rounds and process")
		}
		if keys, found := c.find(name); !found || keys.client[0] != 1 {
			t.Error("the keys were not kept")
		}
		for i := range 2 * scramKept {
			c.keep(c.name(to, nil, i), scramKeys{})
		}
		count := func() int {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.keys)
		}
		if n := count(); n > scramKept {
			t.Errorf("%d keys are kept, want at most %d", n, scramKept)
		}
		<-time.After(scramKeptFor)
		synctest.Wait()
		if n := count(); n != 0 {
			t.Errorf("%d keys are kept after their time", n)
		}
	})
}

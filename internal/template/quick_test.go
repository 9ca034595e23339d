package template

import (
	"bufio"
	"context"
	"fmt"
	"github.com/trowel-project/trowel/internal/param"
	"os"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	f, err := os.Open(os.Getenv("QUICK"))
	if err != nil {
		t.Skip()
	}
	e := New(Options{TimeLimit: 3 * time.Second})
	p, _ := param.ParseMap(`{"a":1,"b":"x","o":{"k":[1,2],"z2":null,"2":1,"1":2},"n":null,"x-y":5,"t":"${a}","s":"abc","l":[3,4],"f":1.0,"big":12345678901234567890,"session_time":"2016-01-30T00:00:00-08:00","__proto__":{"q":1}}`)
	z, _ := time.LoadLocation("America/New_York")
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		t0 := time.Now()
		r, err := e.Text(context.Background(), sc.Text(), p, z)
		fmt.Printf("%-60s => %q %v (%v)\n", sc.Text(), r, err, time.Since(t0).Round(time.Microsecond))
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	// requestTime is how long a request may take. After that its outcome is unknown.
	requestTime = 40 * time.Second
	// maxOpen is the largest number of attempts that run at the same time.
	maxOpen = 40
	// schedulePast is how old the first session of a schedule is, so that the schedule has some to catch up.
	schedulePast = 12 * time.Minute
	// backfillSessions is how many sessions a backfill has.
	backfillSessions = 3
)

// load is what people and programs do with servers, all at the same time.
type load struct {
	*ledger

	servers   []*server
	workflows []workflow
	apart     []workflow // in the archives, but not started at random
	marks     string     // folder for files of tasks
	began     time.Time
	number    atomic.Int64 // makes names and session times unique
}

// run makes requests until ctx ends. Each actor waits for the answer to a request before the next.
func (l *load) run(ctx context.Context) {
	var actors sync.WaitGroup
	defer actors.Wait()
	for _, a := range []struct {
		every time.Duration
		act   func(ctx context.Context)
	}{
		{2 * time.Second, l.push},
		{150 * time.Millisecond, l.start},
		{250 * time.Millisecond, l.start},
		{100 * time.Millisecond, l.look},
		{700 * time.Millisecond, l.kill},
		{500 * time.Millisecond, l.setSecret},
		{200 * time.Millisecond, l.readLog},
		{3 * time.Second, l.backfill},
	} {
		actors.Go(func() {
			for sleep(ctx, a.every/2+rand.N(a.every)) { //nolint:gosec // no secret
				a.act(ctx)
			}
		})
	}
}

// ask sends a request to any server that listens, and repeats it while its outcome is unknown, until ctx
// ends. An answer that a server is unable counts as no answer, but it must say why.
func (l *load) ask(ctx context.Context, send func(ctx context.Context, c *client.Client) error) error {
	for {
		c := l.servers[rand.IntN(len(l.servers))].client() //nolint:gosec // no secret
		if c != nil {
			limited, cancel := context.WithTimeout(ctx, requestTime)
			err := send(limited, c)
			cancel()
			if err == nil || !l.unknown(err) {
				return err
			}
		}
		if !sleep(ctx, 30*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}

// unknown reports whether a request may or may not have been carried out.
func (l *load) unknown(err error) bool {
	refused, ok := errors.AsType[*client.StatusError](err)
	switch {
	case !ok:
		l.count("unknown answers")
		return true
	case refused.Code == http.StatusServiceUnavailable:
		if message := refused.Answer().Message; message == nil || *message == "" {
			l.violation("an answer of 503 gives no reason: %q", refused.Body)
		}
		l.count("refused while away")
		return true
	case refused.Code >= http.StatusInternalServerError:
		l.violation("answer: %v: %s", refused, refused.Body)
		return true
	}
	return false
}

// unexpected records a refusal that should not be.
func (l *load) unexpected(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		l.violation("%s: %v", what, err)
	}
}

// push makes a new project, or a new revision of the newest.
func (l *load) push(ctx context.Context) {
	n := int(l.number.Add(1))
	p, isNew := l.project(0), false
	if p == nil || n%3 == 0 {
		p, isNew = &project{name: fmt.Sprintf("p%d", n), revisions: map[string][]byte{}, ticks: n%2 == 0}, true
	}
	list := append(slices.Clone(l.workflows), l.apart...)
	if p.ticks {
		list = append(list, tick())
	}
	archive, err := pack(n, list)
	if err != nil {
		l.violation("pack: %v", err)
		return
	}
	revision := fmt.Sprintf("r%d", n)
	err = l.ask(ctx, func(ctx context.Context, c *client.Client) error {
		_, err := c.PushProject(ctx, client.Push{
			Project: p.name, Revision: revision, ScheduleFrom: l.began.Add(-schedulePast), Archive: bytes.NewReader(archive), Size: int64(len(archive)),
		})
		return err
	})
	if err != nil && !isConflict(err) { // after a conflict it is there, from a request whose answer was lost
		l.unexpected(ctx, "push", err)
		return
	}
	l.count("pushes")
	l.pushed(ctx, p, isNew, revision, archive)
}

func isConflict(err error) bool {
	refused, ok := errors.AsType[*client.StatusError](err)
	return ok && refused.Code == http.StatusConflict
}

// pushed records a revision. A new project becomes known once it has its secret.
func (l *load) pushed(ctx context.Context, p *project, isNew bool, revision string, archive []byte) {
	l.mu.Lock()
	p.revisions[revision] = archive
	l.mu.Unlock()
	ids := map[string]api.ID{}
	err := l.ask(ctx, func(ctx context.Context, c *client.Client) error {
		found, err := c.FindProject(ctx, p.name)
		if err != nil {
			return err
		}
		list, err := c.ListProjectWorkflows(ctx, found.ID, revision)
		if err != nil {
			return err
		}
		if isNew {
			p.id = found.ID
		}
		for _, w := range list.Workflows {
			ids[w.Name] = w.ID
		}
		return nil
	})
	if err == nil && isNew {
		p.token.value = "first"
		err = l.ask(ctx, func(ctx context.Context, c *client.Client) error {
			return c.SetSecret(ctx, p.id, "token", p.token.value)
		})
	}
	if err != nil {
		l.unexpected(ctx, "look at a push", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		p.workflows = ids
	}
	if isNew && err == nil {
		l.projects = append(l.projects, p)
	}
}

// start starts an attempt of a random workflow, with its own session time.
func (l *load) start(ctx context.Context) {
	p := l.project(rand.IntN(2)) //nolint:gosec // no secret
	if p == nil || len(l.open()) >= maxOpen {
		return
	}
	l.startOne(ctx, p, l.workflows[rand.IntN(len(l.workflows))]) //nolint:gosec // no secret
}

// startOne starts an attempt of a workflow of a project.
func (l *load) startOne(ctx context.Context, p *project, w workflow) {
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(l.number.Add(1)) * time.Second)
	l.mu.Lock()
	id := p.workflows[w.name]
	l.mu.Unlock()
	request := api.AttemptRequest{WorkflowID: id, SessionTime: api.Instant{Time: at}, Params: param.Of("marks", l.marks, "fix", "no")}
	l.begin(ctx, request, w.name, w.end)
}

// begin requests an attempt until the outcome is known. A conflict means the attempt of a
// request whose answer was lost.
func (l *load) begin(ctx context.Context, request api.AttemptRequest, workflow, want string) {
	tries := 0
	var begun *api.Attempt
	err := l.ask(ctx, func(ctx context.Context, c *client.Client) (err error) {
		tries++
		begun, err = c.StartAttempt(ctx, request)
		refused, ok := errors.AsType[*client.StatusError](err)
		if !ok || refused.Code != http.StatusConflict {
			return err
		}
		if tries == 1 {
			l.violation("attempt of %s at %s is there before it was asked for", workflow, request.SessionTime)
		}
		begun = &api.Attempt{}
		return json.Unmarshal(refused.Body, begun)
	})
	if err != nil {
		l.unexpected(ctx, "start "+workflow, err)
		return
	}
	l.accept(begun.ID, workflow, want)
}

// kill kills an attempt, usually a long one. It spares attempts that are watched to their end.
func (l *load) kill(ctx context.Context) {
	var chosen *promise
	for _, p := range l.open() {
		if !p.killed && p.workflow != deadlyName && (p.workflow == "long" || rand.IntN(60) == 0) { //nolint:gosec // no secret
			chosen = p
			break
		}
	}
	if chosen == nil {
		return
	}
	l.mu.Lock()
	chosen.maybe = true // whatever the answer
	l.mu.Unlock()
	err := l.ask(ctx, func(ctx context.Context, c *client.Client) error {
		_, err := c.KillAttempt(ctx, chosen.id)
		return err
	})
	if err != nil && !isConflict(err) {
		l.unexpected(ctx, fmt.Sprintf("kill attempt %d", chosen.id), err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	chosen.killed = err == nil
	l.counts["kills"]++
}

// setSecret changes the secret of a project.
func (l *load) setSecret(ctx context.Context) {
	p := l.project(rand.IntN(3)) //nolint:gosec // no secret
	if p == nil {
		return
	}
	value := fmt.Sprintf("token %d", l.number.Add(1))
	l.mu.Lock()
	p.token.maybe = append(p.token.maybe, value)
	l.mu.Unlock()
	err := l.ask(ctx, func(ctx context.Context, c *client.Client) error { return c.SetSecret(ctx, p.id, "token", value) })
	if err != nil {
		l.unexpected(ctx, "set a secret", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.token = token{value: value}
	l.counts["secrets"]++
}

// backfill starts past sessions of a schedule.
func (l *load) backfill(ctx context.Context) {
	var p *project
	for n := 0; p == nil || !p.ticks; n++ {
		if p = l.project(n); p == nil {
			return
		}
	}
	count, name := backfillSessions, fmt.Sprintf("again-%d", l.number.Add(1))
	from := l.began.Add(-schedulePast + time.Minute)
	var started *api.ScheduleAttemptCollection
	err := l.ask(ctx, func(ctx context.Context, c *client.Client) error {
		found, err := c.FindSchedule(ctx, p.id, "tick")
		if err == nil {
			started, err = c.BackfillSchedule(ctx, found.ID, api.ScheduleBackfillRequest{FromTime: api.Instant{Time: from}, AttemptName: name, Count: &count})
		}
		return err
	})
	if tooEarly(err) {
		return
	}
	if err != nil && !isConflict(err) {
		l.unexpected(ctx, "backfill", err)
		return
	}
	l.mu.Lock()
	l.backfills = append(l.backfills, backfill{p.id, name, count})
	l.counts["backfills"]++
	l.mu.Unlock()
	if err == nil {
		for _, a := range started.Attempts {
			l.accept(a.ID, "tick", endSuccess)
		}
	}
}

// tooEarly reports whether a schedule does not have enough past sessions yet.
func tooEarly(err error) bool {
	refused, ok := errors.AsType[*client.StatusError](err)
	return ok && refused.Code == http.StatusBadRequest && bytes.Contains(refused.Body, []byte("until the next schedule time"))
}

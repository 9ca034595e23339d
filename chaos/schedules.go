package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// manySchedules is how many schedules are due in the same second.
const manySchedules = 50

// schedulesTogether lets two servers find the same schedules due in the same second, each with several
// sessions to catch up, and kills one of the servers.
func schedulesTogether(ctx context.Context, a *arena) error {
	first := a.servers[0]
	usual := first.settings
	first.settings = slices.Concat(usual, []string{"schedule.enabled = false"})
	if err := errors.Join(first.start(ctx), first.ready(ctx)); err != nil {
		return err
	}
	if err := a.pushTicks(ctx); err != nil {
		return err
	}
	if err := errors.Join(first.stop(), first.left(ctx)); err != nil {
		return err
	}
	first.settings = usual
	began := time.Now()
	if err := a.startAll(ctx); err != nil {
		return err
	}
	for range 3 {
		s := a.servers[a.rand.IntN(2)]
		if err := errors.Join(a.live(ctx, s, time.Duration(a.rand.Int64N(int64(time.Second)))), s.kill(), s.start(ctx)); err != nil {
			return err
		}
	}
	if err := a.caughtUp(ctx); err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return err
	}
	if err := a.check(ctx); err != nil {
		return err
	}
	fmt.Printf("%-22s %s\n", a.mode.name, a.summary(3, time.Since(began)))
	return nil
}

// pushTicks pushes projects whose schedules have been due for some minutes.
func (a *arena) pushTicks(ctx context.Context) error {
	for n := range manySchedules {
		archive, err := pack(n, []workflow{tick()})
		if err != nil {
			return err
		}
		p := &project{name: fmt.Sprintf("tick%d", n), revisions: map[string][]byte{"r": archive}, ticks: true}
		var pushed *api.Project
		err = a.ask(ctx, func(ctx context.Context, c *client.Client) (err error) {
			pushed, err = c.PushProject(ctx, client.Push{
				Project: p.name, Revision: "r", ScheduleFrom: a.began.Add(-4 * time.Minute), Archive: bytes.NewReader(archive), Size: int64(len(archive)),
			})
			return err
		})
		if err != nil {
			return err
		}
		p.id = pushed.ID
		a.projects = append(a.projects, p)
	}
	return nil
}

// caughtUp waits until no schedule is due any more.
func (a *arena) caughtUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for due := true; due; {
		if !sleep(ctx, 200*time.Millisecond) {
			return fmt.Errorf("schedules do not catch up: %w", context.Cause(ctx))
		}
		err := a.ask(ctx, func(ctx context.Context, c *client.Client) error {
			due = false
			for last := api.ID(0); ; {
				list, err := c.ListSchedules(ctx, last)
				if err != nil || len(list.Schedules) == 0 {
					return err
				}
				for _, s := range list.Schedules {
					last, due = s.ID, due || s.NextRunTime.Before(time.Now())
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

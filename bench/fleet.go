package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/remote"
)

// fleetAgents is the number of agents of a server that has nothing for them.
const fleetAgents = 500

// idler is an agent that gets nothing to do.
type idler struct{}

func (idler) Rebind(string)          {}
func (idler) Assign([]*trowel.Lease) {}
func (idler) Cancel([]trowel.TryID)  {}
func (idler) Lose([]trowel.TryID)    {}

// idleFleet measures what idle agents cost a server and its database. They are all in this process, each with
// its own connections, over HTTPS.
func idleFleet(b *bench) (results []result, err error) {
	s, err := b.employer()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	if err := s.connectFleet(ctx, s.token, &running); err != nil {
		return nil, errors.Join(err, s.failure())
	}
	<-time.After(settling)
	busy, err := s.usage()
	if err != nil {
		return nil, err
	}
	const length = idling / 2
	asked, err := b.statements(length)
	if err != nil {
		return nil, err
	}
	use, err := s.usage()
	if err != nil {
		return nil, err
	}
	n, err := s.db.count(fmt.Sprintf("SELECT count(*) FROM agent WHERE is_remote AND lease_ends > %d", time.Now().UnixMicro()))
	if err == nil && n != fleetAgents {
		err = fmt.Errorf("%d of %d agents have a lease", n, fleetAgents)
	}
	return []result{
		{
			name: "500 idle agents: queries a second", got: asked.queries, limit: 20, unit: "1/s",
			note: fmt.Sprintf("%.4g/s more begin and end transactions", asked.control),
		},
		{
			name: "500 idle agents: RSS of the server", got: use.rssMB, limit: 150, unit: "MB",
			note: fmt.Sprintf("%.3g %% of a core", 100*(use.cpu-busy.cpu).Seconds()/(length+time.Second).Seconds()),
		},
	}, err
}

// connectFleet registers agents, some at a time, and lets them run until ctx ends.
func (s *server) connectFleet(ctx context.Context, token string, running *sync.WaitGroup) error {
	errs := make(chan error, fleetAgents)
	turns := make(chan struct{}, 20)
	for i := range fleetAgents {
		turns <- struct{}{}
		running.Go(func() {
			link, err := remote.New(remote.Options{
				Servers: []string{s.Endpoint()}, Token: token, TLS: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // bench has made the certificate
				Self: api.AgentRegistration{Name: fmt.Sprintf("idle%d", i), Host: "bench", Version: "bench", Slots: 4},
				Now:  time.Now, Log: slog.New(slog.DiscardHandler),
			})
			if err == nil {
				defer link.Close()
				_, err = link.Register(ctx)
			}
			errs <- err
			<-turns
			if err == nil {
				_ = link.Run(ctx, idler{}) // it ends with ctx; otherwise the count of leases shows it
			}
		})
	}
	var all []error
	for range fleetAgents {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/trowel-project/trowel/chaos/wire"
	"github.com/trowel-project/trowel/internal/api"
)

// agent is a place where an agent runs. It reaches all servers over wires.
type agent struct {
	process

	servers []string // addresses
	special bool     // it only serves the queue of special tasks
	ownDisk bool
	unmount func() error
}

// agentConnected is what an agent logs when a server has accepted it.
const agentConnected = "registered"

// agentDisk is the size of an agent's disk that can be full, in megabytes.
const agentDisk = 32

func (c *cluster) addAgent(ctx context.Context, n int) error {
	name := fmt.Sprintf("agent%d", n)
	g := &agent{process: process{name: name, bin: c.servers[0].bin, dir: filepath.Join(c.dir, name), mark: c.dir, mayDie: c.mode.poison > 0}, special: n == 0}
	g.environment = []string{clockVariable + "=" + g.path("clock")}
	for _, s := range c.servers {
		w, err := wire.New(ctx, s.address)
		if err != nil {
			return err
		}
		c.addWire(name+" to "+s.name, w)
		g.servers = append(g.servers, "http://"+w.Addr())
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return err
	}
	c.agents = append(c.agents, g)
	var err error
	if g.unmount, err = mountSmall(ctx, g.disk(), agentDisk); err == nil {
		g.ownDisk = true
		return os.MkdirAll(filepath.Join(g.disk(), "tmp"), 0o700)
	}
	g.unmount = func() error { return nil }
	if !errors.Is(err, errNoMount) {
		return err
	}
	return os.MkdirAll(filepath.Join(g.disk(), "tmp"), 0o700)
}

// disk returns the folder of everything that an agent writes except its log.
func (g *agent) disk() string { return g.path("disk") }

func (g *agent) start(ctx context.Context) error {
	settings := []string{
		"agent.max-task-threads = " + fmt.Sprint(slots), "kill_grace = 1s", "tmpdir = " + filepath.Join(g.disk(), "tmp"),
	}
	if g.special {
		settings = append(settings, "agent.queues = "+specialQueue, "agent.labels = big")
	}
	if err := os.WriteFile(g.path("agent.properties"), []byte(strings.Join(settings, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return g.launch(ctx, "agent", "-c", g.path("agent.properties"), "--server", strings.Join(g.servers, ","),
		"--name", g.name, "--workspace", filepath.Join(g.disk(), "workspace"))
}

// connected reports whether a server has accepted the agent in this life.
func (g *agent) connected() bool { return strings.Contains(g.said(), agentConnected) }

// drainAgent tells an agent over REST to take nothing new, and later to go on.
func (c *cluster) drainAgent(f *fault) error {
	c.tell(c.agents[f.victim].name, "drain")
	c.last(f.hold)
	c.tell(c.agents[f.victim].name, "undrain")
	return nil
}

// tell asks any server that has an agent to do something with it.
func (c *cluster) tell(name, what string) {
	ctx, cancel := context.WithTimeout(context.Background(), requestTime)
	defer cancel()
	for _, s := range c.servers {
		var list api.AgentList
		if err := c.rest(ctx, s, http.MethodGet, "/api/agents", &list); err != nil {
			continue
		}
		for _, a := range list.Items {
			if a.Name == name && c.rest(ctx, s, http.MethodPost, "/api/agents/"+a.ID+"/"+what, nil) == nil {
				c.count("agents told to " + what)
				return
			}
		}
	}
}

// undrain lets all agents go on, including those whose undrain was lost.
func (c *cluster) undrain(ctx context.Context) error {
	if len(c.agents) == 0 {
		return nil
	}
	if err := c.startAll(ctx); err != nil {
		return err
	}
	var list api.AgentList
	if err := c.rest(ctx, c.servers[0], http.MethodGet, "/api/agents", &list); err != nil {
		return err
	}
	for _, a := range list.Items {
		if a.DrainedAt == nil {
			continue
		}
		if err := c.rest(ctx, c.servers[0], http.MethodPost, "/api/agents/"+a.ID+"/undrain", nil); err != nil {
			return err
		}
	}
	return nil
}

// rest sends one request.
func (c *cluster) rest(ctx context.Context, s *server, method, path string, answer any) (err error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.wire.Addr()+path, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

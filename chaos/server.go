package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/chaos/wire"
	"github.com/trowel-project/trowel/internal/client"
)

// server is a place where a server runs.
type server struct {
	process

	settings  []string
	arguments []string
	wire      *wire.Wire // by which the load reaches it; nil for none

	api   *client.Client
	apiOf <-chan struct{} // channel of the process that api belongs to
}

// readyTime is how long a server may take from its start to its first answer, on a busy machine.
const readyTime = time.Minute

func newServer(bin, dir, mark string) *server {
	return &server{process: process{name: "server", bin: bin, dir: dir, mark: mark}}
}

// start starts the process. It does not wait until the server listens.
func (s *server) start(ctx context.Context) error {
	if err := os.Remove(s.path("runtime.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	properties := strings.Join(s.settings, "\n") + "\nserver.runtime-info.path = " + s.path("runtime.json") + "\n"
	if err := os.WriteFile(s.path("server.properties"), []byte(properties), 0o600); err != nil {
		return err
	}
	return s.launch(ctx, append([]string{"server", "-c", s.path("server.properties")}, s.arguments...)...)
}

// listened reports whether the server has listened in this life.
func (s *server) listened() bool {
	_, err := s.address()
	return err == nil
}

// address returns where the server listens.
func (s *server) address() (string, error) {
	var info struct {
		Local []struct {
			Host string
			Port int
		} `json:"local_addresses"`
	}
	text, err := os.ReadFile(s.path("runtime.json"))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return "", err
	}
	if len(info.Local) == 0 {
		return "", errors.New("the server does not listen")
	}
	return net.JoinHostPort(info.Local[0].Host, strconv.Itoa(info.Local[0].Port)), nil
}

// client returns a client of the server, or nil unless it listens.
func (s *server) client() *client.Client {
	if !s.runs() {
		return nil
	}
	address, err := s.address()
	if err != nil {
		return nil
	}
	if s.wire != nil {
		address = s.wire.Addr()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.api != nil && s.apiOf == s.ended {
		return s.api
	}
	if s.api != nil {
		s.api.Close()
	}
	if s.api, err = client.New(client.Options{Endpoint: "http://" + address, Version: "chaos"}); err != nil {
		return nil
	}
	s.apiOf = s.ended
	return s.api
}

// ready waits until the server listens.
func (s *server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for s.client() == nil {
		if err := s.failed(); err != nil {
			return err
		}
		if !sleep(ctx, 10*time.Millisecond) {
			return fmt.Errorf("the server does not listen: %w\n%s", context.Cause(ctx), s.tail())
		}
	}
	return nil
}

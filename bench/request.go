package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// manyConnections returns a client that keeps all of its connections open.
func manyConnections() *http.Client {
	return &http.Client{
		Timeout: time.Minute,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 1000,
			TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // bench has made the certificate
		},
	}
}

// ask makes one request and returns status and body of the answer.
func (s *server) ask(ctx context.Context, method, path string, body []byte) (status int, text []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, s.Endpoint()+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.many.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// start starts an attempt of a new session. It may be called concurrently.
func (s *server) start(ctx context.Context, workflow api.ID) error {
	at := firstSession.Add(time.Duration(s.bench.sessions.Add(1)) * time.Second)
	body, err := json.Marshal(api.AttemptRequest{WorkflowID: workflow, SessionTime: api.Instant{Time: at}, Params: param.New()})
	if err != nil {
		return err
	}
	status, text, err := s.ask(ctx, http.MethodPut, "/api/attempts", body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("start an attempt: %d %s", status, text)
	}
	return err
}

// metric reads a metric without labels from the server.
func (s *server) metric(name string) (float64, error) {
	status, text, err := s.ask(context.Background(), http.MethodGet, "/metrics", nil)
	if err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("the metrics of a server have no %s (status %d)", name, status)
}

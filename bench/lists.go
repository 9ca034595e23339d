package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// description is the part of the server's description of its API that is needed here.
type description struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name string `json:"name"`
			In   string `json:"in"`
		} `json:"parameters"`
		Responses map[string]struct {
			Content map[string]json.RawMessage `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
}

// listRequests returns requests for everything that can be read as JSON: each path of the API, alone and with
// each of its parameters. So a new list is measured as soon as it is described.
func (s *server) listRequests(ctx context.Context) ([]string, error) {
	status, text, err := s.ask(ctx, http.MethodGet, "/api/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("the description of the API: %d %s", status, text)
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	known, err := s.examples(ctx)
	if err != nil {
		return nil, err
	}
	var requests []string
	for path, operations := range d.Paths {
		get, found := operations["get"]
		if !found || get.Responses["200"].Content["application/json"] == nil || strings.HasPrefix(path, "/api/admin/") || strings.HasSuffix(path, ".json") {
			continue
		}
		at, ok := known.fill(path)
		if !ok {
			continue
		}
		requests = append(requests, at)
		for _, p := range get.Parameters {
			if p.In != "query" {
				continue
			}
			for _, query := range known.queries[p.Name] {
				requests = append(requests, at+"?"+query)
			}
		}
	}
	slices.Sort(requests)
	if len(requests) < 20 {
		return nil, fmt.Errorf("the API has only %d requests that read: %v", len(requests), requests)
	}
	return requests, nil
}

// examples are values for the parameters of paths and queries. Ids come from the middle of their tables.
type examples struct {
	ids     map[string]string   // by the word of a path before {id}
	queries map[string][]string // by the name of a parameter, whole queries
}

func (s *server) examples(ctx context.Context) (*examples, error) {
	var latest struct {
		Attempts []struct{ ID string }
	}
	if err := s.read(ctx, "/api/attempts?page_size=1", &latest); err != nil || len(latest.Attempts) != 1 {
		return nil, errors.Join(err, fmt.Errorf("there are %d attempts", len(latest.Attempts)))
	}
	var last int64
	if _, err := fmt.Sscan(latest.Attempts[0].ID, &last); err != nil {
		return nil, err
	}
	var middle struct {
		ID, SessionID string
		Project       struct{ ID string }
	}
	if err := s.read(ctx, fmt.Sprintf("/api/attempts/%d", last/2), &middle); err != nil || middle.SessionID == "" {
		return nil, errors.Join(err, fmt.Errorf("attempt %d is %+v", last/2, middle))
	}
	var workflows struct{ Workflows []struct{ ID string } }
	if err := s.read(ctx, "/api/workflows?count=1", &workflows); err != nil || len(workflows.Workflows) != 1 {
		return nil, errors.Join(err, fmt.Errorf("there are %d workflows", len(workflows.Workflows)))
	}
	var schedules struct{ Schedules []struct{ ID string } }
	if err := s.read(ctx, "/api/schedules", &schedules); err != nil || len(schedules.Schedules) == 0 {
		return nil, errors.Join(err, fmt.Errorf("there are %d schedules", len(schedules.Schedules)))
	}
	var tasks struct{ Tasks []struct{ ID string } }
	if err := s.read(ctx, "/api/attempts/"+middle.ID+"/tasks", &tasks); err != nil || len(tasks.Tasks) == 0 {
		return nil, errors.Join(err, fmt.Errorf("attempt %s has %d tasks", middle.ID, len(tasks.Tasks)))
	}
	none := "name_pattern=there-is-none"
	instants := fmt.Sprintf("=%s", url.QueryEscape(time.Now().Add(-24*time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")))
	return &examples{
		ids: map[string]string{
			"projects": middle.Project.ID, "workflows": workflows.Workflows[0].ID, "schedules": schedules.Schedules[0].ID, "sessions": middle.SessionID,
			"attempts": middle.ID, "logs": middle.ID, "tasks": tasks.Tasks[0].ID,
		},
		queries: map[string][]string{
			"last_id":         {"last_id=" + middle.ID, "last_id=1"},
			"page_size":       {"page_size=100"},
			"count":           {"count=100"},
			"limit":           {"limit=500"},
			"name":            {"name=project1", "name=workflow1", "name=workflow1&project=project1"},
			"name_pattern":    {none, none + "&search_project_name=true", "name_pattern=7&order=desc"},
			"project":         {"project=project1", "project=rare", "project=none", "project=project1&last_id=" + middle.ID},
			"workflow":        {"workflow=workflow1", "workflow=none", "project=project1&workflow=workflow1", "project=rare&workflow=rare", "project=project1&workflow=workflow1&last_id=" + middle.ID},
			"include_retried": {"include_retried=true", "include_retried=true&last_id=" + middle.ID, "include_retried=true&project=rare&workflow=rare"},
			"actor":           {"actor=engine", "actor=none"},
			"action":          {"action=project_pushed", "action=none"},
			"attempt":         {"attempt=" + middle.ID},
			"from":            {"from" + instants, "from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z"},
			"to":              {"to" + instants},
			"source":          {"source=rest", "source=none"},
			"session_time":    {"session_time=2026-01-01T00:00:00&mode=schedule"},
			"use":             {"use=holding", "use=waiting"},
			"status":          searches(instants),
			"createdFrom":     {"createdFrom" + instants},
			"createdTo":       {"createdTo" + instants},
			"sort":            {"sort=createdAt"},
			"unit":            {"unit=session", "unit=session&status=error"},
		},
	}, nil
}

// searches returns the filters of a search, each combined with all others: common, rare and missing ones.
func searches(instants string) (queries []string) {
	for _, status := range []string{"running", "success", "error", "killed"} {
		for _, of := range []string{"", "&project=project1", "&project=rare", "&project=project1&workflow=workflow1", "&project=project1&workflow=none"} {
			for _, at := range []string{"", "&createdFrom" + instants, "&createdFrom=2020-01-01T00:00:00Z&createdTo=2020-01-02T00:00:00Z"} {
				for _, sort := range []string{"", "&sort=createdAt"} {
					queries = append(queries, "limit=500&status="+status+of+at+sort)
				}
			}
		}
	}
	return queries
}

// fill replaces a path's parameters by examples.
func (e *examples) fill(path string) (string, bool) {
	words := strings.Split(path, "/")
	parameter := regexp.MustCompile(`^\{(\w+)\}$`)
	for i, word := range words {
		found := parameter.FindStringSubmatch(word)
		if found == nil {
			continue
		}
		value, ok := e.ids[words[i-1]]
		switch {
		case found[1] == "name" && words[i-1] == "workflows":
			value, ok = "workflow1", true
		case found[1] == "name" && words[i-1] == "pools":
			value, ok = "default", true
		}
		if !ok {
			return "", false
		}
		words[i] = value
	}
	return strings.Join(words, "/"), true
}

// read asks for a document.
func (s *server) read(ctx context.Context, path string, to any) error {
	status, text, err := s.ask(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET %s: %d %s", path, status, text)
	}
	return json.Unmarshal(text, to)
}

// timed is a request and how long it took.
type timed struct {
	path    string
	took    time.Duration
	refused []string // other requests, which the server refuses
}

// slowest makes each request several times, and returns the one that is slowest at its 95th percentile. A server
// may refuse a senseless request, but must not fail.
func (s *server) slowest(ctx context.Context, requests []string, times int) (timed, error) {
	var worst timed
	for _, path := range requests {
		took := make([]time.Duration, times)
		for i := range took {
			begun := time.Now()
			status, text, err := s.ask(ctx, http.MethodGet, path, nil)
			if err != nil {
				return worst, err
			}
			if status >= http.StatusInternalServerError {
				return worst, errors.Join(fmt.Errorf("GET %s: %d %s", path, status, text), s.failure())
			}
			took[i] = time.Since(begun)
			if status != http.StatusOK && i == 0 {
				worst.refused = append(worst.refused, fmt.Sprintf("%s (%d)", path, status))
			}
		}
		slices.Sort(took)
		if t := took[(times-1)*95/100]; t > worst.took {
			worst.path, worst.took = path, t
		}
	}
	return worst, nil
}

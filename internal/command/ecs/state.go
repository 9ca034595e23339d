package ecs

import (
	"net/url"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// state is what is stored about a command that has not ended, in Digdag's form (operators 4.4) with a few more keys.
type state struct {
	cluster string
	task    string // ARN
	created int64  // Unix time, as all times
	ioDir   string
	logs    *logStream // nil without output
	token   string     // where the output goes on; empty for the beginning
	marked  int64      // when the end of the output was seen; zero for not yet
	ended   int64      // when the task was seen to have ended; zero for not yet
	exit    int        // of an ended task

	output  string // key of the files that come back
	memory  int64  // limit in bytes; zero for none
	missing int64  // since when ECS does not know the task; zero if it does
	failed  int    // looks in a row that have failed
}

// logStream is where output goes.
type logStream struct{ group, stream string }

// stored returns the state as it is stored.
func (s *state) stored() *param.Map {
	progress := param.New()
	if s.token != "" {
		progress.Set("next_token", s.token)
	}
	if s.marked != 0 {
		progress.Set("logging_finished_at", s.marked)
	}
	var logs param.Value
	if s.logs != nil {
		logs = param.Of("awslogs-group", s.logs.group, "awslogs-stream", s.logs.stream)
	}
	m := param.Of("cluster_name", s.cluster, "task_arn", s.task, "task_creation_timestamp", s.created, "io_directory", s.ioDir,
		"executor_state", progress, "awslogs", logs, "archive_output", s.output)
	if s.ended != 0 {
		m.Set("task_finished_at", s.ended)
		m.Set("status_code", int64(s.exit))
	}
	for key, value := range map[string]int64{"memory_limit": s.memory, "missing_since": s.missing, "failed_looks": int64(s.failed)} {
		if value != 0 {
			m.Set(key, value)
		}
	}
	return m
}

// readState is the reverse of stored.
func readState(m *param.Map) (*state, error) {
	s, r := &state{}, stateReader{Reader: param.NewReader(m)}
	s.cluster, s.task, s.ioDir = r.text("cluster_name"), r.text("task_arn"), r.text("io_directory")
	s.created, s.ended, s.exit = r.number("task_creation_timestamp"), r.number("task_finished_at"), int(r.number("status_code"))
	s.output, s.memory, s.missing, s.failed = r.text("archive_output"), r.number("memory_limit"), r.number("missing_since"), int(r.number("failed_looks"))
	progress := stateReader{Reader: param.NewReader(r.block("executor_state"))}
	s.token, s.marked = progress.text("next_token"), progress.number("logging_finished_at")
	if m.Has("awslogs") {
		logs := stateReader{Reader: param.NewReader(r.block("awslogs"))}
		s.logs = &logStream{group: logs.text("awslogs-group"), stream: logs.text("awslogs-stream")}
		if r.err == nil {
			r.err = logs.err
		}
		if s.logs.group == "" {
			s.logs = nil
		}
	}
	if r.err == nil {
		r.err = progress.err
	}
	return s, r.err
}

// stateReader keeps the first error.
type stateReader struct {
	*param.Reader

	err error
}

func (r *stateReader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *stateReader) text(key string) string {
	text, err := r.StringOr(key, "")
	r.keep(err)
	return text
}

func (r *stateReader) number(key string) int64 {
	n, err := r.LongOr(key, 0)
	r.keep(err)
	return n
}

func (r *stateReader) block(key string) *param.Map {
	if value, _ := r.Value(key); value == nil {
		return nil
	}
	m, err := r.OptMap(key)
	r.keep(err)
	return m
}

// links lead to the task and its output in Amazon's console.
func (s *state) links(region string) []trowel.Link {
	console := "https://" + region + ".console.aws.amazon.com/"
	links := []trowel.Link{{
		Name: "ECS task",
		URL:  console + "ecs/v2/clusters/" + url.PathEscape(s.cluster) + "/tasks/" + url.PathEscape(arnID(s.task)) + "/configuration?region=" + region,
	}}
	if s.logs != nil {
		// The console escapes names twice, with a dollar in place of the second percent sign.
		twice := func(name string) string { return strings.ReplaceAll(url.QueryEscape(url.QueryEscape(name)), "%", "$") }
		links = append(links, trowel.Link{
			Name: "CloudWatch Logs",
			URL:  console + "cloudwatch/home?region=" + region + "#logsV2:log-groups/log-group/" + twice(s.logs.group) + "/log-events/" + twice(s.logs.stream),
		})
	}
	return links
}

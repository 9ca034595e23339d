package kubernetes

import (
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// state is what is stored about a command that has not ended, in Digdag's form (operators 4.5) with a few more keys.
type state struct {
	cluster string
	pod     string
	created int64 // Unix time
	ioDir   string
	offset  int64 // bytes of the log that were passed on
	ended   bool
	exit    int // of an ended command

	output  string              // key of the files that come back
	message string              // what the cluster says about the end
	limit   *command.LimitError // that ended the command; nil for none
	waiting int64               // since when the pod waits for an image that cannot be pulled; zero if it does not
	failed  int                 // looks in a row that have failed
}

// stored returns the state as it is stored.
func (s *state) stored() *param.Map {
	m := param.Of("cluster_name", s.cluster, "pod_name", s.pod, "pod_creation_timestamp", s.created, "io_directory", s.ioDir,
		"executor_state", param.Of("log_offset", s.offset), "archive_output", s.output)
	if s.ended {
		m.Set("status_code", int64(s.exit))
	}
	if s.message != "" {
		m.Set("message", s.message)
	}
	if s.limit != nil {
		m.Set("limit_exceeded", param.Of("kind", s.limit.Kind, "limit", s.limit.Limit))
	}
	if s.waiting != 0 {
		m.Set("waiting_since", s.waiting)
	}
	if s.failed != 0 {
		m.Set("failed_looks", int64(s.failed))
	}
	return m
}

// readState is the reverse of stored.
func readState(m *param.Map) (*state, error) {
	s, r := &state{ended: m.Has("status_code")}, param.NewReader(m)
	var err error
	for key, text := range map[string]*string{
		"cluster_name": &s.cluster, "pod_name": &s.pod, "io_directory": &s.ioDir, "archive_output": &s.output, "message": &s.message,
	} {
		if *text, err = r.StringOr(key, ""); err != nil {
			return nil, err
		}
	}
	for key, number := range map[string]*int{"status_code": &s.exit, "failed_looks": &s.failed} {
		if *number, err = r.IntOr(key, 0); err != nil {
			return nil, err
		}
	}
	for key, number := range map[string]*int64{"pod_creation_timestamp": &s.created, "waiting_since": &s.waiting} {
		if *number, err = r.LongOr(key, 0); err != nil {
			return nil, err
		}
	}
	s.offset, _ = param.AsLong(at(m, "executor_state", "log_offset"))
	if kind := textAt(m, "limit_exceeded", "kind"); kind != "" {
		limit, _ := param.AsLong(at(m, "limit_exceeded", "limit"))
		s.limit = &command.LimitError{Kind: kind, Limit: limit}
	}
	return s, nil
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	// senders is how many requests with reports may be in flight, so that one that waits for a commit does not delay
	// others.
	senders = 4
	// maxBatch is the most reports in a request.
	maxBatch = 200
	// maxReportLogs is the most bytes of output in a report; more is sent before it.
	maxReportLogs = 256 << 10
	// batchShare is the part of the largest report's size that several reports together may have.
	batchShare = 8
	// resend is when a report is sent again that its server has not taken yet.
	resend = 2 * time.Second
)

// Report takes the end of a try; it implements agent.Options.Report. The report of a lost try is dropped.
func (l *Link) Report(r trowel.Report) {
	l.mu.Lock()
	h := l.tries[trowel.TryID{Task: r.TaskID, Number: r.Try}]
	if h != nil && h.report == nil {
		h.report = &r
		l.outbox = append(l.outbox, h)
	}
	l.mu.Unlock()
	l.reportNow.Set()
}

// send sends reports until ctx ends. The first report wakes it, and it takes all that have come meanwhile. Reports that
// could not be sent are tried again; if the server had stored one already, it says so.
func (l *Link) send(ctx context.Context) {
	retry := newBackoff(min(l.state().Lease/6, 2*time.Second))
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.reportNow:
		}
		for batch := l.takeReports(); len(batch) > 0 && ctx.Err() == nil; batch = l.takeReports() {
			err := l.deliver(ctx, batch)
			if err == nil {
				retry.reset()
				continue
			}
			l.putBack(batch)
			if ctx.Err() == nil {
				l.opts.Log.WarnContext(ctx, "reports wait, they are sent again", slog.Int("reports", len(batch)), slog.Any("error", err))
			}
			if !retry.sleep(ctx) {
				return
			}
		}
	}
}

// takeReports returns the next reports, and wakes another sender if some are left.
func (l *Link) takeReports() []*held {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.outbox), maxBatch)
	batch := l.outbox[:n:n]
	l.outbox = l.outbox[n:]
	if len(l.outbox) > 0 {
		l.reportNow.Set()
	}
	return batch
}

// putBack puts reports back that could not be sent.
func (l *Link) putBack(batch []*held) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var still []*held
	for _, h := range batch {
		if l.tries[h.lease.ID()] == h {
			still = append(still, h)
		}
	}
	l.outbox = append(still, l.outbox...)
	l.reportNow.Set()
}

// deliver sends reports, in several requests if they are large. Answered reports are removed.
func (l *Link) deliver(ctx context.Context, batch []*held) error {
	s := l.state()
	var shapes []api.AgentReport
	var sent []*held
	size := int64(0)
	flush := func() error {
		if len(sent) == 0 {
			return nil
		}
		err := l.postReports(ctx, &s, sent, shapes)
		shapes, sent, size = nil, nil, 0
		return err
	}
	for _, h := range batch {
		if h.lease.AgentID != s.ID {
			continue // its id is gone
		}
		shape, bytes, err := l.fit(ctx, h, &s)
		if err != nil {
			return err
		}
		if size+bytes > s.MaxReport/batchShare {
			if err := flush(); err != nil {
				return err
			}
		}
		shapes, sent, size = append(shapes, shape), append(sent, h), size+bytes
	}
	return flush()
}

// fit makes the document of a report. It sends much output beforehand; a report that is still too large becomes a
// failure.
func (l *Link) fit(ctx context.Context, h *held, s *Settings) (api.AgentReport, int64, error) {
	logs := 0
	for i := range h.report.Logs {
		logs += len(h.report.Logs[i].Data)
	}
	if logs > maxReportLogs {
		if err := l.sendLogs(ctx, h.lease.AgentID, h.report.Logs); err != nil {
			return api.AgentReport{}, 0, err
		}
		h.report.Logs = nil
	}
	shape := l.reportShape(h.report)
	data, err := encode(shape)
	if err != nil {
		return shape, 0, err
	}
	if room := s.MaxReport - 1<<10; int64(len(data)) > room {
		h.fail("result too large", fmt.Sprintf("the result of the task has %d bytes, and the server takes at most %d", len(data), room))
		shape = l.reportShape(h.report)
		return shape, 1 << 10, nil
	}
	return shape, int64(len(data)), nil
}

// fail replaces a report that cannot be sent by a failure.
func (h *held) fail(kind, message string) {
	h.replaced = true
	r := h.report
	r.Outcome, r.Result, r.StateParams, r.Logs, r.LastLines, r.Masked = trowel.OutcomeFailure, trowel.Result{}, nil, nil, nil, nil
	r.Error = param.Of("message", message+" ("+kind+")")
}

// postReports sends one request and applies its answers.
func (l *Link) postReports(ctx context.Context, s *Settings, sent []*held, shapes []api.AgentReport) error {
	var got api.AgentAnswers
	limit := min(max(s.Lease, 5*time.Second), longRequest)
	l.mu.Lock()
	suspended := l.isSuspended()
	l.mu.Unlock()
	server := l.current.Load()
	err := l.post(ctx, limit, "/"+s.ID+"/reports", api.AgentReports{Reports: shapes, Resting: suspended}, &got)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusNotFound {
		return l.renew(ctx, s.ID)
	}
	if err != nil {
		return err
	}
	if len(got.Answers) != len(sent) {
		return fmt.Errorf("the server has answered %d of %d reports", len(got.Answers), len(sent))
	}
	var again, later []*held
	l.mu.Lock()
	for i, h := range sent {
		answer := &got.Answers[i]
		switch {
		case answer.Status == http.StatusBadRequest && !h.replaced:
			h.fail("report refused", answer.Message)
			again = append(again, h)
			continue
		case answer.Status == http.StatusServiceUnavailable:
			later = append(later, h)
			continue
		case answer.Status != http.StatusOK:
			l.opts.Log.WarnContext(ctx, "result refused", slog.Int64("task_id", answer.TaskID), slog.Int("try", answer.Try),
				slog.String("reason", answer.Message))
		}
		if l.tries[h.lease.ID()] == h {
			delete(l.tries, h.lease.ID())
		}
	}
	l.outbox = append(l.outbox, again...)
	l.signalReported()
	l.mu.Unlock()
	if l.current.Load() != server {
		l.beatNow.Set() // another server may think that these tries still run here
	}
	if len(again) > 0 {
		l.reportNow.Set()
	}
	if len(later) > 0 {
		time.AfterFunc(resend, func() { l.putBack(later) })
	}
	return nil
}

// reportShape is a report as it is sent, with durations instead of instants.
func (l *Link) reportShape(r *trowel.Report) api.AgentReport {
	outcomes := map[trowel.Outcome]string{
		trowel.OutcomeSuccess: api.AgentSuccess, trowel.OutcomePoll: api.AgentPoll, trowel.OutcomeRetry: api.AgentRetry,
		trowel.OutcomeFailure: api.AgentFailure, trowel.OutcomeReleased: api.AgentReleased,
	}
	shape := api.AgentReport{
		TaskID: int64(r.TaskID), AttemptID: int64(r.AttemptID), Try: r.Try, Outcome: outcomes[r.Outcome],
		RetryInMicros: max(r.RetryIn.Microseconds(), 0), State: r.StateParams, Error: r.Error, LastLines: r.LastLines, Masked: r.Masked,
		Job: r.Job,
	}
	for _, link := range r.Links {
		shape.Links = append(shape.Links, api.Link{Name: link.Name, URL: link.URL})
	}
	if u := r.Usage; u != (trowel.Usage{}) {
		shape.Usage = &api.Usage{PeakMemoryBytes: u.PeakMemory, CPUTimeMs: u.CPUTime.Milliseconds(), BytesWritten: u.BytesWritten}
	}
	if !r.StartedAt.IsZero() {
		shape.Ran = true
		shape.RanMicros = max(r.EndedAt.Sub(r.StartedAt).Microseconds(), 0)
		shape.EndedAgo = max(l.opts.Now().Sub(r.EndedAt).Microseconds(), 0)
	}
	if !r.Result.Empty() {
		shape.Result = &api.AgentResult{
			Subtasks: r.Result.Subtasks, Export: r.Result.Export, ResetKeys: r.Result.ResetKeys, Store: r.Result.Store,
			Origin: r.Origin.Text(),
		}
	}
	for i := range r.Logs {
		shape.Logs = append(shape.Logs, chunkShape(&r.Logs[i]))
	}
	return shape
}

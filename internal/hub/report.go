package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// Bounds of reports.
const (
	maxLines   = 20
	maxLine    = 4000    // bytes
	maxOrigin  = 1 << 20 // bytes; tasks of a larger file have no places
	maxAgo     = 30 * 24 * time.Hour
	maxRetryIn = 10 * 365 * 24 * time.Hour
)

// textLate is about a result from an agent that has lost its lease, or never had one.
const textLate = "try %d of task %d does not run on this agent: its lease has ended and others may run the task by now, or it never had it. " +
	"The result is dropped"

// Reports takes the ends of tries. It returns the answer to each once they are stored. A report that was stored before
// is accepted again. A report of a try that the agent does not run is refused. If the database is unavailable, the error
// is an ErrUnavailable, and the agent sends all reports again.
func (h *Hub) Reports(ctx context.Context, id string, token trowel.TokenID, sent api.AgentReports) (api.AgentAnswers, error) {
	p, reports := h.find(id), sent.Reports
	if p != nil {
		if errors.Is(p.check(token), errForeign) {
			return tooLate(reports), nil
		}
		if sent.Resting {
			p.suspend()
		}
	}
	known, err := h.recognise(ctx, id, token, p, reports)
	if errors.Is(err, errForeign) {
		return tooLate(reports), nil
	}
	if err != nil {
		return api.AgentAnswers{}, err
	}
	answers := make([]api.AgentAnswer, len(reports))
	waiting := make([]chan error, len(reports))
	now := h.opts.Now()
	for i := range reports {
		r := &reports[i]
		answers[i] = api.AgentAnswer{TaskID: r.TaskID, Try: r.Try, Status: http.StatusOK}
		if !known[i] {
			continue
		}
		report, err := reportOf(r, now)
		if err == nil {
			err = h.checkLogs(ctx, p, &report)
		}
		if err != nil {
			answers[i].Status, answers[i].Message = http.StatusBadRequest, err.Error()
			continue
		}
		done := make(chan error, 1)
		if h.opts.KeepOutput == nil {
			report.Logs = nil
		}
		ended := report.ID()
		report.Answer = func(err error) {
			h.endings.answered(ended)
			done <- err
		}
		waiting[i] = done
		h.endings.begin(ended)
		if p == nil {
			h.opts.Report(report)
			continue
		}
		p.end(ended, func() { h.opts.Report(report) })
	}
	failed := stored(ctx, waiting, known, answers)
	if failed != nil {
		return api.AgentAnswers{}, &trowel.Error{
			Kind: trowel.ErrUnavailable, Message: "the reports are not known to be stored", Hint: "send them again", Err: failed,
		}
	}
	return api.AgentAnswers{Answers: answers}, h.answerEnded(ctx, id, reports, known, answers)
}

// tooLate answers reports for an agent that is not the caller's, in the same way as for one that does not exist.
func tooLate(reports []api.AgentReport) api.AgentAnswers {
	answers := make([]api.AgentAnswer, len(reports))
	for i := range reports {
		r := &reports[i]
		answers[i] = api.AgentAnswer{TaskID: r.TaskID, Try: r.Try, Status: http.StatusConflict, Message: fmt.Sprintf(textLate, r.Try, r.TaskID)}
	}
	return api.AgentAnswers{Answers: answers}
}

// stored waits until the reports are stored or refused. It clears known for tries that no longer run on the agent. Reports
// of attempts that this server leaves alone are answered with 503: the agent keeps them, for this server or another.
// failed is the error of reports that could not be stored.
func stored(ctx context.Context, waiting []chan error, known []bool, answers []api.AgentAnswer) (failed error) {
	for i, done := range waiting {
		if done == nil {
			continue
		}
		select {
		case err := <-done:
			switch {
			case err == nil:
			case errors.Is(err, trowel.ErrConflict), errors.Is(err, trowel.ErrNotFound):
				known[i] = false
			case errors.Is(err, trowel.ErrUnknown):
				answers[i].Status, answers[i].Message = http.StatusServiceUnavailable, err.Error()
			default:
				failed = errors.Join(trowel.ErrUnavailable, err)
			}
		case <-ctx.Done():
			failed = errors.Join(trowel.ErrUnavailable, context.Cause(ctx))
		}
	}
	return failed
}

// recognise returns which of the tries the agent runs. It asks the database about tries that this server does not know:
// all of them if the agent is not connected here, so that p is nil. A wrong token is an errForeign.
func (h *Hub) recognise(ctx context.Context, id string, token trowel.TokenID, p *peer, reports []api.AgentReport) ([]bool, error) {
	known := make([]bool, len(reports))
	all := true
	for i := range reports {
		known[i] = p != nil && p.has(reportTry(&reports[i]), trowel.AttemptID(reports[i].AttemptID))
		all = all && known[i]
	}
	if all {
		return known, nil
	}
	running, err := h.own(ctx, id, token)
	if errors.Is(err, trowel.ErrNotFound) && !errors.Is(err, errForeign) {
		return known, nil // its lease has expired: the other reports come too late
	}
	if err != nil {
		return nil, err
	}
	for i := range reports {
		task, runs := running[reportTry(&reports[i])]
		known[i] = known[i] || runs && int64(task.AttemptID) == reports[i].AttemptID
	}
	return known, nil
}

// answerEnded answers for tries that do not run on the agent. If the agent's report of a try is stored, it is accepted again,
// because the first answer may have been lost. Others are refused.
func (h *Hub) answerEnded(ctx context.Context, id string, reports []api.AgentReport, known []bool, answers []api.AgentAnswer) error {
	for i := range reports {
		if known[i] {
			continue
		}
		var ended *trowel.Try
		err := h.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			ended, err = tx.FindTry(ctx, trowel.AttemptID(reports[i].AttemptID), reportTry(&reports[i]))
			return err
		})
		switch {
		case err == nil && ended.AgentID == id && ended.Exit != trowel.ExitLost:
		case err == nil && ended.AgentID == id && reports[i].Outcome == api.AgentReleased:
		case err == nil, errors.Is(err, trowel.ErrNotFound):
			answers[i].Status, answers[i].Message = http.StatusConflict, fmt.Sprintf(textLate, reports[i].Try, reports[i].TaskID)
		default:
			return err
		}
	}
	return nil
}

// maxCPUTimeMs is more processor time than a try can have: a century.
const maxCPUTimeMs = 100 * 366 * 24 * 3600 * 1000

// linksOf returns those links of a report that can be shown. The agent has checked them, too.
func linksOf(sent []api.Link) (links []trowel.Link) {
	for _, link := range sent {
		link := trowel.Link{Name: link.Name, URL: link.URL}
		if len(links) < trowel.MaxLinks && link.Check() == nil {
			links = append(links, link)
		}
	}
	return links
}

func reportTry(r *api.AgentReport) trowel.TryID {
	return trowel.TryID{Task: trowel.TaskID(r.TaskID), Number: r.Try}
}

// reportOf reads a report. It computes the instants with this server's clock.
func reportOf(r *api.AgentReport, now time.Time) (trowel.Report, error) {
	report := trowel.Report{
		TaskID: trowel.TaskID(r.TaskID), AttemptID: trowel.AttemptID(r.AttemptID), Try: r.Try,
		StateParams: r.State, Error: r.Error, LastLines: r.LastLines, Job: r.Job, Links: linksOf(r.Links),
	}
	if u := r.Usage; u != nil {
		report.Usage = trowel.Usage{
			PeakMemory: max(u.PeakMemoryBytes, 0), CPUTime: time.Duration(max(min(u.CPUTimeMs, maxCPUTimeMs), 0)) * time.Millisecond, BytesWritten: max(u.BytesWritten, 0),
		}
	}
	outcomes := map[string]trowel.Outcome{
		api.AgentSuccess: trowel.OutcomeSuccess, api.AgentPoll: trowel.OutcomePoll, api.AgentRetry: trowel.OutcomeRetry,
		api.AgentFailure: trowel.OutcomeFailure, api.AgentReleased: trowel.OutcomeReleased,
	}
	var ok bool
	if report.Outcome, ok = outcomes[r.Outcome]; !ok {
		return report, invalid("outcome must be success, poll, retry, failure or released, not %.40q", r.Outcome)
	}
	if r.RetryInMicros < 0 || r.RetryInMicros > maxRetryIn.Microseconds() {
		return report, invalid("retryInMicros must be 0 to %d, not %d", maxRetryIn.Microseconds(), r.RetryInMicros)
	}
	report.RetryIn = time.Duration(r.RetryInMicros) * time.Microsecond
	if len(report.LastLines) > maxLines {
		report.LastLines = report.LastLines[len(report.LastLines)-maxLines:]
	}
	for i, line := range report.LastLines {
		report.LastLines[i] = line[:min(len(line), maxLine)]
	}
	if result := r.Result; result != nil {
		report.Result = trowel.Result{Subtasks: result.Subtasks, Export: result.Export, ResetKeys: result.ResetKeys, Store: result.Store}
		if len(result.Origin) <= maxOrigin {
			report.Origin = trowel.ParseOrigin(result.Origin)
		}
	}
	report.Masked = report.Known(r.Masked)
	if r.Ran {
		report.EndedAt = now.Add(-length(r.EndedAgo))
		report.StartedAt = report.EndedAt.Add(-length(r.RanMicros))
	}
	for i := range r.Logs {
		chunk, err := chunkOf(&r.Logs[i])
		if err != nil {
			return report, err
		}
		if chunk.AttemptID != report.AttemptID {
			return report, invalid("a report of attempt %d has output of attempt %d", report.AttemptID, chunk.AttemptID)
		}
		report.Logs = append(report.Logs, chunk)
	}
	return report, nil
}

// length is a duration measured by an agent, limited to plausible values.
func length(micros int64) time.Duration {
	return time.Duration(min(max(micros, 0), maxAgo.Microseconds())) * time.Microsecond
}

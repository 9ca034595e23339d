package kubernetes

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
)

// submission is one call of Run.
type submission struct {
	executor *Executor
	cluster  *cluster
	client   *client
	options  *options
	in, out  *transfer.Store
	request  *command.Request
	log      *slog.Logger
	name     string // of the pod
}

// run creates the pod.
func (s *submission) run(ctx context.Context) (command.Status, error) {
	s.name = podName(&s.request.Try)
	folder := transfer.Folder(&s.request.Try)
	for _, p := range []*persistent{s.options.volume, s.options.claim} {
		if err := s.provide(ctx, p); err != nil {
			return command.Status{}, err
		}
	}
	input := transfer.NewInput(folder)
	if err := transfer.Upload(ctx, s.in, input.Key, s.request); err != nil {
		return command.Status{}, err
	}
	document, err := s.pod(ctx, input, folder)
	if err != nil {
		return command.Status{}, err
	}
	if err := context.Cause(ctx); err != nil {
		return command.Status{}, err
	}
	pod, err := s.create(context.WithoutCancel(ctx), document)
	switch {
	case mayPass(err) && ctx.Err() == nil: // the pod may be there all the same, and would outlive its task
		(&watch{client: s.client, log: s.log, state: &state{pod: s.name}}).giveUp(ctx)
		return command.Status{}, err
	case mayPass(err): // the next look finds out, or a kill deletes the pod
		s.log.WarnContext(ctx, "the pod may have been created", slog.String("pod", s.name), slog.Any("error", err))
	case err != nil:
		return command.Status{}, err
	}
	st := &state{cluster: s.cluster.name, pod: s.name, created: s.executor.now().Unix(), ioDir: s.request.IODir, output: transfer.OutputKey(folder)}
	if made, err := time.Parse(time.RFC3339, textAt(pod, "metadata", "creationTimestamp")); err == nil {
		st.created = made.Unix()
	}
	if dir := textAt(mapAt(pod, "metadata", "annotations"), annotationIODir); dir != "" {
		st.ioDir = dir
	}
	return command.Status{IODir: st.ioDir, State: st.stored()}, nil
}

// create creates the pod, or returns the one that an earlier process has created for the try.
func (s *submission) create(ctx context.Context, document *param.Map) (*param.Map, error) {
	pod, err := s.client.call(ctx, http.MethodPost, s.client.pods(), document)
	if statusOf(err) != http.StatusConflict {
		return pod, told("cannot create the pod "+s.name, err)
	}
	pod, err = s.client.call(ctx, http.MethodGet, s.client.pods()+"/"+s.name, nil)
	if err != nil {
		return nil, told("cannot find the pod "+s.name+", which an earlier agent has created", err)
	}
	s.log.InfoContext(ctx, "the command goes on in the pod that was created for this try before", slog.String("pod", s.name))
	return pod, nil
}

// provide creates a volume or claim, or replaces what it says (operators 4.5). nil is nothing to do.
func (s *submission) provide(ctx context.Context, p *persistent) error {
	if p == nil {
		return nil
	}
	all := "/api/v1/persistentvolumes"
	if p.kind == "PersistentVolumeClaim" {
		all = s.client.namespaced("persistentvolumeclaims")
	}
	one, doing := all+"/"+url.PathEscape(p.name), "cannot provide the "+p.kind+" "+p.name
	document := param.Of("apiVersion", "v1", "kind", p.kind, "metadata", param.Of("name", p.name), "spec", p.spec)
	found, err := s.client.call(ctx, http.MethodGet, one, nil)
	if statusOf(err) == http.StatusNotFound {
		_, err = s.client.call(ctx, http.MethodPost, all, document)
		if statusOf(err) != http.StatusConflict {
			return told(doing, err)
		}
		found, err = s.client.call(ctx, http.MethodGet, one, nil) // another task was faster
	}
	if err != nil {
		return told(doing, err)
	}
	merged := param.Merged(mapAt(found, "spec"), p.spec) // what the cluster has added stays
	if param.Equal(merged, mapAt(found, "spec")) {
		return nil
	}
	found.Set("spec", merged)
	_, err = s.client.call(ctx, http.MethodPut, one, found)
	return told(doing, err)
}

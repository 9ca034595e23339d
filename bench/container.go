package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/trowel-project/trowel/internal/command/docker/dockertest"
)

func containerBars() []bar {
	return []bar{{name: "container", measure: container, look: "what internal/command/docker calls besides `docker run`"}}
}

// container runs a task with docker: against docker run with the same mount and script, in turn. The whole process of trowel
// counts. The limit is a ratio of medians, as the engine's own times vary.
func container(b *bench) (results []result, err error) {
	const rounds = 30
	engine, err := dockertest.New(context.Background())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	dir, err := b.project("container", "main.dig", "+a:\n  docker: {image: "+dockertest.Busybox+"}\n  sh>: 'true'\n", "runner.sh", "true")
	if err != nil {
		return nil, err
	}
	raw := []string{engine.Client, "run", "--rm", "-v", dir + ":" + dir + ":rw", "-w", dir, "-e", "session_time=x", dockertest.Busybox, "/bin/sh", filepath.Join(dir, "runner.sh")}
	var ours, theirs []time.Duration
	for i := range rounds + 1 {
		task, err := b.processIn(engine.Environ(), dir, b.bin, "run", "main.dig", "--rerun")
		if err != nil {
			return nil, err
		}
		plain, err := b.processIn(engine.Environ(), dir, raw...)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first ones warm the engine up
			ours, theirs = append(ours, task.wall), append(theirs, plain.wall)
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	got, want := millis(ours[rounds/2]), millis(theirs[rounds/2])
	note := fmt.Sprintf("%.4g ms, docker run --rm: %.4g ms", got, want)
	return []result{{name: "container: docker: true", got: got / want, limit: 1.15, unit: "x", note: note}}, nil
}

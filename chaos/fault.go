package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/trowel-project/trowel/internal/client"
)

// In these modes servers must go on by themselves. Meanwhile they refuse what they cannot do, with a
// reason, and running tasks are not affected.

// steady waits, and checks that all servers live.
func (a *arena) steady(ctx context.Context, d time.Duration) error {
	if !sleep(ctx, d) {
		return context.Cause(ctx)
	}
	for _, s := range a.servers {
		if err := s.failed(); err != nil {
			return err
		}
	}
	return nil
}

// restartingDatabase stops PostgreSQL for a while. The last time it asks one of the servers to end
// meanwhile, twice, which must work although the server cannot write anything more.
func restartingDatabase(ctx context.Context, a *arena) (int, error) {
	troubles := min(max(a.kills/40, 2), 10)
	for n := range troubles {
		if err := a.steady(ctx, 3*time.Second); err != nil {
			return n, err
		}
		if err := a.database.server.Stop(ctx); err != nil {
			return n, err
		}
		errAway := a.steady(ctx, 3*time.Second+time.Duration(a.rand.Int64N(int64(7*time.Second))))
		if s := a.servers[0]; n == troubles-1 && errAway == nil {
			errAway = errors.Join(s.stop(), a.steady(ctx, time.Second), s.stop(), s.gone(ctx))
		}
		if err := errors.Join(errAway, a.database.server.Start(ctx), a.startAll(ctx)); err != nil {
			return n, err
		}
	}
	return troubles, a.steady(ctx, 3*time.Second)
}

// cuttingConnections ends all connections to PostgreSQL, again and again.
func cuttingConnections(ctx context.Context, a *arena) (int, error) {
	for n := range a.kills {
		if err := a.steady(ctx, time.Duration(a.rand.Int64N(int64(600*time.Millisecond)))); err != nil {
			return n, err
		}
		if err := a.database.cutConnections(ctx); err != nil {
			return n, err
		}
	}
	return a.kills, a.steady(ctx, time.Second)
}

// fillingDisk fills the disk of database and files, and frees it again.
func fillingDisk(ctx context.Context, a *arena) (int, error) {
	troubles := min(max(a.kills/40, 2), 10)
	ballast := filepath.Join(a.dataDir, "ballast")
	for n := range troubles {
		if err := a.steady(ctx, 3*time.Second); err != nil {
			return n, err
		}
		if err := fill(ballast); err != nil {
			return n, err
		}
		err := errors.Join(a.steady(ctx, 2*time.Second), a.refuses(ctx), a.steady(ctx, time.Second+time.Duration(a.rand.Int64N(int64(3*time.Second)))))
		if err := errors.Join(err, os.Remove(ballast)); err != nil {
			return n, err
		}
	}
	return troubles, a.steady(ctx, 3*time.Second)
}

// fill writes a file until nothing more fits.
func fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	return file.Close()
}

// refuses checks that a large push is refused as long as there is no room, while reading works.
func (a *arena) refuses(ctx context.Context) error {
	c, p := a.servers[0].client(), a.project(0)
	if c == nil || p == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	if _, err := c.ProjectByID(ctx, p.id); err != nil {
		return fmt.Errorf("read beside a full disk: %w", err)
	}
	archive, err := packLarge()
	if err != nil {
		return err
	}
	_, err = c.PushProject(ctx, client.Push{Project: "large", Revision: "r", Archive: bytes.NewReader(archive), Size: int64(len(archive))})
	refused, ok := errors.AsType[*client.StatusError](err)
	if !ok || refused.Code != 503 {
		a.violation("a push that does not fit on the disk is answered with %v, want 503", err)
	}
	return nil
}

//go:build unix

package kubernetes

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/param"
)

func taskParams() *param.Map { return param.Of("docker", param.Of("image", "busybox")) }

func TestSuite(t *testing.T) {
	t.Parallel()
	commandtest.Run(t, func(tb testing.TB) *commandtest.Subject {
		tb.Helper()
		f := newFake(tb)
		return &commandtest.Subject{
			Executor: f.executor(nil, "kubernetes.k1.kube_config_path", f.kubeconfigFile()), Params: taskParams(),
			Running: func(_ testing.TB, try *command.Try) bool { return f.podOf(try) != nil },
			Lose:    func(_ testing.TB, try *command.Try) { f.podOf(try).Kill() },
			Restart: func(testing.TB) command.Executor { return f.executor(nil) },
			Around:  func(line string) bool { return strings.HasPrefix(line, "tar: ") },
		}
	})
}

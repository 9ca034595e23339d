//go:build unix

package ecs

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/ecs/ecstest"
	"github.com/trowel-project/trowel/internal/param"
)

func taskParams() *param.Map { return param.Of("ecs", param.Of("task_definition_arn", "arn:td:1")) }

func TestSuite(t *testing.T) {
	t.Parallel()
	commandtest.Run(t, func(tb testing.TB) *commandtest.Subject {
		tb.Helper()
		f := ecstest.Start(tb)
		return &commandtest.Subject{
			Executor: executorOf(f, nil), Params: taskParams(),
			Running: func(_ testing.TB, try *command.Try) bool {
				task := f.TaskOf(try)
				if task == nil {
					return false
				}
				_, ended := task.Container.Ended()
				return !ended
			},
			Lose: func(_ testing.TB, try *command.Try) {
				f.TaskOf(try).Container.Kill()
			},
			Around: func(line string) bool { // the words of the script are Digdag's
				return strings.HasPrefix(line, "tar: ") || strings.Contains(line, "~")
			},
			Restart: func(testing.TB) command.Executor { return executorOf(f, nil) },
		}
	})
}

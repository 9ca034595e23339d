//go:build unix

package ecs

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/param"
)

func taskParams() *param.Map { return param.Of("ecs", param.Of("task_definition_arn", "arn:td:1")) }

func TestSuite(t *testing.T) {
	t.Parallel()
	commandtest.Run(t, func(tb testing.TB) *commandtest.Subject {
		tb.Helper()
		f := newFake(tb)
		return &commandtest.Subject{
			Executor: f.executor(nil), Params: taskParams(),
			Running: func(_ testing.TB, try *command.Try) bool {
				task := f.taskOf(try)
				if task == nil {
					return false
				}
				_, ended := task.container.Ended()
				return !ended
			},
			Lose: func(_ testing.TB, try *command.Try) {
				f.taskOf(try).container.Kill()
			},
			Around: func(line string) bool { // the words of the script are Digdag's
				return strings.HasPrefix(line, "tar: ") || strings.Contains(line, "~")
			},
			Restart: func(testing.TB) command.Executor { return f.executor(nil) },
		}
	})
}

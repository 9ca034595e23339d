//go:build unix

package cli_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command/ecs/ecstest"
	"github.com/trowel-project/trowel/internal/trowtest/killtest"
)

// Commands on ECS are looked at every 10 s. Those of earlier sessions are looked at while later ones begin.
func TestServerKilledAroundECS(t *testing.T) {
	t.Parallel()
	assassin := killtest.NewAssassin("DescribeTaskDefinition", "PUT archive-input", "RunTask", "DescribeTasks", "GetLogEvents", "GET archive-output")
	service := ecstest.Start(t)
	service.Before = func(r *ecstest.Request) bool { return assassin.Before(r.Operation) }
	service.Answered = func(r *ecstest.Request) bool { return assassin.Answered(r.Operation) }
	before := func(_ http.ResponseWriter, r *http.Request) bool {
		if !assassin.Before(r.Method + " " + path.Base(r.URL.Path)) {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	answered := func(r *http.Request) bool { return assassin.Answered(r.Method + " " + path.Base(r.URL.Path)) }
	service.Bucket.Answer.Store(&before)
	service.Bucket.Answered.Store(&answered)
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	settings := []string{"agent.command_executor.type = ecs"}
	for name, value := range service.Settings() {
		settings = append(settings, "agent.command_executor."+name+" = "+value)
	}
	ran := filepath.Join(t.TempDir(), "ran") // a line for each command
	trial := killtest.Trial{
		Assassin: assassin, Kills: *kills, Env: []string{"AWS_ENDPOINT_URL=" + server.URL}, Settings: settings,
		Files: map[string]string{
			"main.dig": "_export:\n  py: {python: python3}\n  ecs: {task_definition_arn: 'arn:td:1'}\n  ran: '" + ran + "'\n+q:\n  py>: tasks.run\n+after:\n  echo>: ${n}\n",
			"tasks.py": "import digdag\n\ndef run(ran, session_date):\n    open(ran, 'a').write(session_date + '\\n')\n    digdag.env.store({'n': 7})\n",
		},
		Result: `"storeParams":{"n":7}`,
		Begun: func() map[string]int {
			text, err := os.ReadFile(ran)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			return bySession(strings.Fields(string(text)))
		},
	}
	trial.Run(t)
	if n := len(service.Tasks()); n != *kills {
		t.Errorf("ECS has %d tasks, want %d", n, *kills)
	}
}

package digdag

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Old archives lack keys, newer ones may have more, and both have null for what is missing (server 6.4).
func TestReadTasks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		want       *trowel.Task
	}{
		{
			"old", `{"id":7,"attemptId":3,"parentId":null,"fullName":"+w","config":{"local":{"a":1},"export":{}},"taskType":1,"state":"group_error",
"stateFlags":12,"upstreams":[],"updatedAt":"2017-01-02T03:04:05Z","retryAt":null,"stateParams":{},"subtaskConfig":{},"exportParams":{},
"storeParams":{},"report":null,"error":{}}`,
			&trowel.Task{
				ID: 7, AttemptID: 3, FullName: "+w", Group: true, Local: param.Of("a", 1), State: trowel.TaskGroupError,
				Flags: trowel.TaskInitial | trowel.TaskDelayedGroupError, UpdatedAt: time.Date(2017, 1, 2, 3, 4, 5, 0, time.UTC), Version: 1,
			},
		},
		{
			"new", `{"id":8,"parentId":7,"fullName":"+w+t","taskType":0,"state":"error","stateFlags":8,"upstreams":[5,6],"startedAt":
"2017-01-02T03:04:05.678901Z","retryAt":"2017-01-02T03:04:06+00:00","updatedAt":"2017-01-02T03:04:07Z","retryCount":3,"resetStoreParams":["a.b"],
"resumingTaskId":2,"error":{"message":"no"},"stateParams":{"s":1},"tomorrow":[{}]}`,
			&trowel.Task{
				ID: 8, AttemptID: 3, ParentID: 7, FullName: "+w+t", State: trowel.TaskError, Flags: trowel.TaskInitial,
				Upstreams: []trowel.TaskID{5, 6}, StartedAt: time.Date(2017, 1, 2, 3, 4, 5, 678901000, time.UTC), Try: 1, RetryCount: 3,
				RetryAt: time.Date(2017, 1, 2, 3, 4, 6, 0, time.UTC), UpdatedAt: time.Date(2017, 1, 2, 3, 4, 7, 0, time.UTC), ResumingID: 2,
				Result: trowel.Result{ResetKeys: []string{"a.b"}}, Error: param.Of("message", "no"), StateParams: param.Of("s", 1), Version: 1,
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := readTasks(3, "["+row.text+"]")
			if err != nil {
				t.Fatal(err)
			}
			same := cmp.Comparer(func(a, b *param.Map) bool { return a.Len()+b.Len() == 0 || param.Equal(a, b) })
			if diff := cmp.Diff([]*trowel.Task{row.want}, got, same); diff != "" {
				t.Errorf("tasks (-want +got):\n%s", diff)
			}
		})
	}
}

// A text that is not a list of tasks is refused, with what is wrong and where.
func TestReadTasksRefuses(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		`{`: "unexpected", `{}`: "they are not a list", `[1]`: "task number 1 is not an object",
		`[{"state":"success"},{"state":"success","updatedAt":"yesterday"}]`: `task number 2: updatedAt "yesterday" is not an instant`,
		`[{"state":"success","upstreams":[{}]}]`:                            "upstreams has something that is no id",
		`[{"state":"success","resetStoreParams":[[]]}]`:                     "resetStoreParams has something that is no text",
		`[{"state":"success","config":7}]`:                                  "config",
		`[{}]`:                                                              `state "" is not known`,
	} {
		if _, err := readTasks(1, text); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("readTasks(%s) = %v, want %q in it", text, err, message)
		}
	}
}

// FuzzReadTasks proves that any text is read or refused, and that tasks that are read have states.
func FuzzReadTasks(f *testing.F) {
	f.Add(`[{"id":7,"config":{"local":{}},"state":"success","upstreams":["1"],"startedAt":"2017-01-02T03:04:05Z","taskType":1}]`)
	f.Add(`[{"id":1e99,"state":"ready","stateFlags":-1,"resetStoreParams":[1,true]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := readTasks(1, text)
		for _, task := range tasks {
			if err != nil || task.AttemptID != 1 || task.State > trowel.TaskCanceled {
				t.Errorf("readTasks(%q) = %+v, %v", text, task, err)
			}
		}
	})
}

package output

import (
	"strconv"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// target is the output that a request names.
type target struct {
	attempt trowel.Attempt
	which   tasklog.Which
	done    bool // nothing more will come
}

// targetParams are the parameters that name output.
func targetParams() []rest.Parameter {
	return []rest.Parameter{
		rest.QueryText("task", "The id or full name of a task; all tasks of the attempt if it is missing."),
		rest.QueryInt("try", "Only the output of the try of this number."),
		rest.QueryFlag("subtree", "With the output of all tasks below the task."),
	}
}

// readTarget reads the parameters that name output, and the tasks that are meant. It fails if the server keeps no output.
func (h *handlers) readTarget(c *rest.Call) (*target, error) {
	task := c.Query.Get("task")
	g := &target{which: tasklog.Which{Below: flag(c, "subtree")}}
	try, err := number(c, "try", 1, 0)
	switch {
	case err != nil:
		return nil, err
	case try != 0 && (task == "" || g.which.Below):
		return nil, rest.InvalidValue("try", "try needs one task").WithHint("name a task, without subtree")
	}
	err = c.View(func(tx trowel.Tx) error {
		s, err := find.Attempt(c, tx)
		if err != nil {
			return err
		}
		g.attempt = s.Attempt
		g.done = s.Attempt.Flags&trowel.AttemptDone != 0
		if h.logs == nil {
			return rest.NotFound("this server keeps no output of tasks").WithCode(rest.CodeLogOff).WithHint("its setting log-server.type is null")
		}
		if task == "" {
			return nil
		}
		named := &namedTask{}
		if err := h.outlines.Read(c.Ctx(), tx, &g.attempt, func(t *outline.Tree) error { return named.find(t, task) }); err != nil {
			return err
		}
		g.which.FullName, g.done = named.name, named.done
		if try == 0 && len(named.all) == 1 || g.which.Below {
			return nil
		}
		return named.tries(c, tx, g, int(try))
	})
	return g, err
}

// namedTask is the task that a request names, and all tasks of the same name: each retry of a group makes new ones.
type namedTask struct {
	name  string
	done  bool
	all   []taskTry
	means trowel.TaskID // zero if all of them are meant
	last  trowel.TaskID // the newest of those that are meant
}

// taskTry is a task with its last try.
type taskTry struct {
	id   trowel.TaskID
	last trowel.Try
}

// find finds the task in the tree.
func (n *namedTask) find(tree *outline.Tree, task string) error {
	var node *outline.Node
	if id, err := strconv.ParseInt(task, 10, 64); err == nil {
		if node = tree.Find(trowel.TaskID(id)); node != nil {
			n.means = node.ID
		}
	} else {
		node = tree.FindName(task)
	}
	if node == nil {
		return rest.NotFound("the attempt has no task %q", task)
	}
	n.name, n.done, n.last = node.FullName, node.State.Done(), node.ID
	tree.All(func(other *outline.Node) {
		if other.FullName == n.name {
			n.all = append(n.all, taskTry{other.ID, trowel.Try{Number: int(other.Try), ClaimedAt: other.ClaimedAt(), EndedAt: other.FinishedAt()}})
		}
	})
	return nil
}

// tries sets when the tries of the tasks ran, and which are meant: that of a number, or all.
func (n *namedTask) tries(c *rest.Call, tx trowel.Tx, g *target, number int) error {
	var ids []trowel.TaskID
	for i := range n.all {
		ids = append(ids, n.all[i].id)
	}
	ended, err := tx.ListTriesAmong(c.Ctx(), g.attempt.ID, ids)
	if err != nil {
		return err
	}
	known := map[trowel.TryID]bool{}
	for i := range ended {
		known[trowel.TryID{Task: ended[i].TaskID, Number: ended[i].Number}] = true
	}
	for _, t := range n.all {
		if !t.last.ClaimedAt.IsZero() && !known[trowel.TryID{Task: t.id, Number: t.last.Number}] {
			t.last.TaskID = t.id
			ended = append(ended, t.last)
		}
	}
	found := number == 0
	for i := range ended {
		try := &ended[i]
		wanted := n.means == 0 || try.TaskID == n.means
		if number != 0 {
			wanted = try.TaskID == n.last && try.Number == number
		}
		if wanted && number != 0 {
			found, g.done = true, !try.EndedAt.IsZero()
		}
		g.which.Tries = append(g.which.Tries, tasklog.TrySpan{From: try.ClaimedAt, To: try.EndedAt, Wanted: wanted})
	}
	if !found {
		return rest.NotFound("task %s has no try %d", n.name, number)
	}
	return nil
}

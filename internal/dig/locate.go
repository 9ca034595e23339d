package dig

import "sync"

// places keeps what Locate has read, since it is asked for one failed task after the other.
type places struct {
	mu      sync.Mutex // guards what is below
	sources *sources
	tasks   map[*Workflow][]Task
	indexes map[*Workflow]map[string]int // by full name
}

// Locate returns where a task of a workflow stands, by its full name. It finds only tasks that the
// files state, not generated ones. The files are read again when it is first called. It may be
// called concurrently.
func (p *Project) Locate(w *Workflow, fullName string) (Place, bool) {
	p.places.mu.Lock()
	defer p.places.mu.Unlock()
	tasks, indexes := p.places.of(w)
	index, ok := indexes[fullName]
	if !ok {
		return Place{}, false
	}
	if p.places.sources == nil {
		p.places.sources = newSources(p.loader())
	}
	return p.places.sources.locate(w.File, taskPath(tasks, index)), true
}

// of returns the tasks of a workflow; none if it does not compile.
func (p *places) of(w *Workflow) ([]Task, map[string]int) {
	if indexes, ok := p.indexes[w]; ok {
		return p.tasks[w], indexes
	}
	tasks, err := w.Compile()
	if err != nil {
		tasks = nil
	}
	indexes := make(map[string]int, len(tasks))
	for i := range tasks {
		indexes[tasks[i].FullName] = i
	}
	if p.indexes == nil {
		p.tasks, p.indexes = map[*Workflow][]Task{}, map[*Workflow]map[string]int{}
	}
	p.tasks[w], p.indexes[w] = tasks, indexes
	return tasks, indexes
}

// taskPath returns the keys that lead from the root's body to a task.
func taskPath(tasks []Task, index int) []string {
	var keys []string
	for ; index >= 0 && tasks[index].Parent >= 0; index = tasks[index].Parent {
		keys = append([]string{tasks[index].Name}, keys...)
	}
	return keys
}

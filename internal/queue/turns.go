package queue

// Turns is the order in which sources with ready tasks are served: who came first, or was served
// longest ago, is first. The zero value is ready for use.
type Turns[S comparable] struct {
	queue  []turn[S]
	places map[S]uint64 // the number of the turn that counts
	last   uint64
}

// turn is a place in the queue. It is out of date if its source has another number, or none.
type turn[S comparable] struct {
	source S
	number uint64
}

func (t *Turns[S]) current(i int) bool { return t.places[t.queue[i].source] == t.queue[i].number }

// Add puts a source at the end, unless it has a place.
func (t *Turns[S]) Add(s S) {
	if _, ok := t.places[s]; ok {
		return
	}
	if t.places == nil {
		t.places = map[S]uint64{}
	}
	t.last++
	t.places[s] = t.last
	t.queue = append(t.queue, turn[S]{s, t.last})
}

// Remove takes a source out.
func (t *Turns[S]) Remove(s S) {
	delete(t.places, s)
	for len(t.queue) > 0 && !t.current(0) {
		t.queue[0] = turn[S]{}
		t.queue = t.queue[1:]
	}
}

// Len returns how many sources have a place.
func (t *Turns[S]) Len() int { return len(t.places) }

// First returns the first n sources, or all if there are fewer. They keep their places.
func (t *Turns[S]) First(n int) []S {
	var list []S
	for i := 0; i < len(t.queue) && len(list) < n; i++ {
		if t.current(i) {
			list = append(list, t.queue[i].source)
		}
	}
	return list
}

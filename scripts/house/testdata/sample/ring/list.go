package ring

// list has methods of a generic receiver, and a field by which other.go refers to this file.
type list[T any] struct {
	items []T
	next  *list[T]
}

func (l *list[T]) add(item T) { l.items = append(l.items, item) }

func first(l *list[Open]) Open { return l.items[0] }

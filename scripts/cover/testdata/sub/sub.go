package sub

type list[K comparable, V any] struct{ items map[K]V }

func (l *list[K, V]) get(key K) V {
	if l == nil {
		var none V
		return none
	}
	return l.items[key]
}

type plain struct{}

func (plain) name() string {
	return "plain"
}

package param

import "hash/maphash"

// index finds keys among many, as a hash table with open addressing. It has no pointers, so maps with very many keys
// cost little to copy and nothing to collect.
type index struct {
	seed  maphash.Seed // random, so that nobody can send keys that collide
	cells []uint64     // hash in the upper half, position+1 in the lower; zero is free
	used  int
}

// fewestCells is the smallest size of an index. Sizes are powers of two.
const fewestCells = 128

// newIndex returns the index of the keys of entries, with room for as many as their capacity.
func newIndex(entries []entry) *index {
	size := fewestCells
	for size < 2*cap(entries) {
		size *= 2
	}
	x := &index{seed: maphash.MakeSeed(), cells: make([]uint64, size)}
	for i := range entries {
		x.add(entries[i].key, i)
	}
	return x
}

func (x *index) hash(key string) uint64 { return maphash.String(x.seed, key) &^ (1<<32 - 1) }

// find returns the position of a key, or -1.
func (x *index) find(key string, entries []entry) int {
	hash, last := x.hash(key), uint64(len(x.cells)-1)
	for at := hash >> 32 & last; ; at = (at + 1) & last {
		cell := x.cells[at]
		if cell == 0 {
			return -1
		}
		if position := int(uint32(cell)) - 1; cell&^(1<<32-1) == hash && entries[position].key == key { //nolint:gosec // the lower half
			return position
		}
	}
}

// add adds a new key with its position.
func (x *index) add(key string, position int) {
	if x.used++; 2*x.used > len(x.cells) {
		cells := x.cells
		x.cells = make([]uint64, 2*len(cells))
		for _, cell := range cells {
			if cell != 0 {
				x.put(cell)
			}
		}
	}
	x.put(x.hash(key) | uint64(position+1)) //nolint:gosec // far fewer keys than 32 bits
}

// put stores a cell at the first free place, beginning with its own.
func (x *index) put(cell uint64) {
	last := uint64(len(x.cells) - 1)
	at := cell >> 32 & last
	for x.cells[at] != 0 {
		at = (at + 1) & last
	}
	x.cells[at] = cell
}

func (x *index) clone() *index {
	c := *x
	c.cells = append([]uint64(nil), x.cells...)
	return &c
}

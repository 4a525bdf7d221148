package log

// Keys remembers what the names of a line's members mean by their place: lines
// of one format have them in the same order, so that a name is looked up once.
type Keys[T any] struct {
	Mean func(name []byte) T // looks a name up
	seen []keyed[T]
}

type keyed[T any] struct {
	name string
	mean T
}

// Bounds of what is remembered: members of a line, and bytes of a name.
const (
	maxKeys = 64
	maxKey  = 64
)

// At returns what the name of a line's member means that is the i-th, counted from 0.
func (k *Keys[T]) At(i int, name []byte) T {
	if i < len(k.seen) && k.seen[i].name == string(name) {
		return k.seen[i].mean
	}
	mean := k.Mean(name)
	if i == len(k.seen) && i < maxKeys && len(name) < maxKey {
		k.seen = append(k.seen, keyed[T]{string(name), mean})
	}
	return mean
}

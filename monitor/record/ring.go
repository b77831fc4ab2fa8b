package record

// ring keeps the last n of what is added.
type ring[T any] struct {
	kept []T
	n    int
}

func newRing[T any](n int) *ring[T] { return &ring[T]{n: n} }

// add drops the oldest half of twice as many as are kept, so that it costs little.
func (r *ring[T]) add(t T) {
	if len(r.kept) == 2*r.n {
		r.kept = append([]T(nil), r.kept[r.n:]...)
	}
	r.kept = append(r.kept, t)
}

// all are the last ones, the newest last. They do not change.
func (r *ring[T]) all() []T { return r.kept[max(0, len(r.kept)-r.n):] }

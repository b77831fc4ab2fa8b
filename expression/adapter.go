package expression

import "slices"

// of1 makes a function that is null if its argument is, and only then.
func of1[A, R any](result kind, compute func(*frame, place, A) (R, bool)) func(*compiler, call) operand {
	return func(_ *compiler, k call) operand {
		a := searched(as[A](k.args[0]), k.at)
		return nullableIf(k.nullable(), computed(result, fn[R](func(f *frame) (r R, ok bool) {
			v, ok := a(f)
			if !ok {
				return r, false
			}
			return compute(f, k.at, v)
		})))
	}
}

// of2 makes a function that is null if an argument is; it may be null otherwise.
func of2[A, B, R any](result kind, compute func(*frame, place, A, B) (R, bool)) func(*compiler, call) operand {
	return func(_ *compiler, k call) operand {
		a, b := searched(as[A](k.args[0]), k.at), as[B](k.args[1])
		return computed(result, fn[R](func(f *frame) (r R, ok bool) {
			v, ok := a(f)
			w, alsoOK := b(f)
			if !ok || !alsoOK {
				return r, false
			}
			return compute(f, k.at, v, w)
		}))
	}
}

// pure adapts a function of one value that cannot fail.
func pure[A, R any](compute func(A) R) func(*frame, place, A) (R, bool) {
	return func(_ *frame, _ place, v A) (R, bool) { return compute(v), true }
}

// pure2 adapts a function of two values that cannot fail.
func pure2[A, B, R any](compute func(A, B) R) func(*frame, place, A, B) (R, bool) {
	return func(_ *frame, _ place, v A, w B) (R, bool) { return compute(v, w), true }
}

func (k call) nullable() bool {
	return slices.ContainsFunc(k.args, func(o operand) bool { return o.nullable })
}

// searched counts the steps of a function that looks through a text.
func searched[T any](eval fn[T], at place) fn[T] {
	text, ok := any(eval).(fn[string])
	if !ok {
		return eval
	}
	return any(fn[string](func(f *frame) (string, bool) {
		s, ok := text(f)
		if !ok || !f.search(at, s) {
			return "", false
		}
		return s, true
	})).(fn[T])
}

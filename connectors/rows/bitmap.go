package rows

import "github.com/apache/arrow-go/v18/arrow/bitutil"

// bitmap is a growing list of bits in Arrow's order. Bits behind its length
// may have any value: append sets or clears.
type bitmap struct {
	bits  []byte
	n     int
	zeros int
}

func (b *bitmap) append(bit bool) {
	if b.n%8 == 0 {
		b.bits = append(b.bits[:b.n/8], 0)
	}
	if bit {
		b.bits[b.n/8] |= 1 << (b.n % 8)
	} else {
		b.bits[b.n/8] &^= 1 << (b.n % 8)
		b.zeros++
	}
	b.n++
}

func (b *bitmap) truncate(n int) {
	for i := n; i < b.n; i++ {
		if !bitutil.BitIsSet(b.bits, i) {
			b.zeros--
		}
	}
	b.n = n
}

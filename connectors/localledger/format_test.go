package localledger

import "testing"

func TestHeadsAreSound(t *testing.T) {
	whole := appendFrame(nil, 7, []byte("certificate"))
	if h, sound := parseHead(whole); !sound || h.version != 7 || h.length != len("certificate") {
		t.Errorf("found %+v, %t", h, sound)
	}
	for i := range headSize {
		for bit := range 8 {
			whole[i] ^= 1 << bit
			if h, sound := parseHead(whole); sound {
				t.Errorf("bit %d of byte %d is changed, found %+v", bit, i, h)
			}
			whole[i] ^= 1 << bit
		}
	}
	if _, sound := parseHead(make([]byte, headSize)); sound {
		t.Error("zeros are no head")
	}
}

// However sound a head looks, it does not make us allocate more than an entry has.
func TestHeadsOfTooMuchData(t *testing.T) {
	for length, want := range map[int]bool{maxData: true, maxData + 1: false} {
		frame := appendFrame(nil, 1, make([]byte, length))
		if _, sound := parseHead(frame); sound != want {
			t.Errorf("%d bytes: expected %t", length, want)
		}
	}
}

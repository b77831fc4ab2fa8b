package connectors

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestFieldRange(t *testing.T) {
	for _, c := range []struct {
		field   Field
		text    string
		allowed []int64
		refused []int64
	}{
		{Field{Type: Count, Min: 1, Max: 65536}, "1 to 65,536", []int64{1, 65536}, []int64{0, 65537, -1, math.MaxInt64}},
		{Field{Type: Count, Min: 1}, "at least 1", []int64{1, math.MaxInt64}, []int64{0, math.MinInt64}},
		{Field{Type: Duration, Min: int64(time.Second), Max: int64(time.Hour)}, "1s to 1h", []int64{int64(time.Minute)}, []int64{int64(time.Millisecond)}},
		{Field{Type: Size, Min: 1 << 10, Max: 1 << 20}, "1 KiB to 1 MiB", []int64{1 << 10}, []int64{1<<20 + 1}},
	} {
		if got := c.field.Range(); got != c.text {
			t.Errorf("expected %q, found %q", c.text, got)
		}
		for _, n := range c.allowed {
			if !c.field.Allows(n) {
				t.Errorf("%s: %d is refused", c.text, n)
			}
		}
		for _, n := range c.refused {
			if c.field.Allows(n) {
				t.Errorf("%s: %d is allowed", c.text, n)
			}
		}
	}
}

func TestFieldsLookup(t *testing.T) {
	fields := Fields{{Key: "url"}, {Key: "token", Secret: true}}
	if f, ok := fields.Lookup("token"); !ok || !f.Secret {
		t.Errorf("expected the field token, found %+v, %v", f, ok)
	}
	if f, ok := fields.Lookup("Token"); ok {
		t.Errorf("expected no field Token, found %+v", f)
	}
	if got := fields.Keys(); !slices.Equal(got, []string{"url", "token"}) {
		t.Errorf("expected the keys in the table's order, found %v", got)
	}
}

package lang

import (
	"reflect"
	"strings"
	"testing"
)

// The place of every node is exact, and within that of its parent.
func TestSpans(t *testing.T) {
	golden(t, "valid", func(t *testing.T, src *Source) string {
		file, _ := Parse(src)
		for _, c := range file.Clauses {
			checkSpans(t, src, reflect.ValueOf(c), Span{0, len(src.Text)})
		}
		for _, f := range file.Flows {
			if text := src.Text[f.Span().Start:f.Span().End]; strings.TrimSpace(text) != text {
				t.Errorf("flow at %q", text)
			}
		}
		return dump(file)
	})
}

func checkSpans(t *testing.T, src *Source, v reflect.Value, within Span) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			checkSpans(t, src, v.Index(i), within)
		}
	case reflect.Pointer:
		node, ok := v.Interface().(interface{ Span() Span })
		if v.IsNil() || !ok {
			return
		}
		span := node.Span()
		text := src.Text[span.Start:span.End]
		if text == "" || strings.TrimSpace(text) != text || span.Join(within) != within {
			t.Errorf("%T at %q", node, text)
		}
		for i := range v.Elem().NumField() {
			checkSpans(t, src, v.Elem().Field(i), span)
		}
	}
}

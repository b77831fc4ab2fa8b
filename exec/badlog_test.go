package exec

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

func TestBadRowsAreToldNowAndThen(t *testing.T) {
	epochOf := func(sequences ...uint64) *badRows {
		b := &badRows{action: planner.SkipBadRows}
		for _, s := range sequences {
			m := &connectors.Message{Source: &connectors.Incarnation{Stream: "ORDERS"}, Sequence: s}
			b.take(newRowFault(codeNoRow, "orders", m, errors.New("planted")))
		}
		return b
	}
	var told []string
	var l badLog
	now := time.Now()
	for i, b := range []*badRows{epochOf(3, 4), epochOf(), epochOf(7), epochOf(9), epochOf(), epochOf(20)} {
		l.add(b)
		if n, due := l.due(now.Add(time.Duration(i) * badInterval / 4)); due {
			told = append(told, fmt.Sprint(i, n.Attributes))
		}
	}
	want := "0 [rows 2 resource orders stream ORDERS sequence 3 first F5003: planted]\n" +
		"4 [rows 2 resource orders stream ORDERS sequence 7 first F5003: planted]"
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("told\n%s\nexpected\n%s", got, want)
	}
	if l.rows != 1 {
		t.Errorf("%d rows are left to tell, expected the last one", l.rows)
	}
}

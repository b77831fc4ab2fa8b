package langserver

import (
	"strings"
	"testing"
)

func TestHover(t *testing.T) {
	flow := declarations + "from warehouse \"orders.>\"\nschema order\n"
	for name, test := range map[string]struct{ text, want string }{
		"an option":               {"from nats \"a\" to nats max_in_fl¦ight 1 stream \"A\" subject \"a\"", "max_in_flight: count and size, default 1024/16MiB"},
		"an option's value":       {"from nats \"a\" to nats envelope bo¦dy stream \"A\" subject \"a\"", "One of `body`, `headers`, `none`."},
		"a text":                  {"from nats \"a\" to nats stream \"¦A\" subject \"a\"", "stream: string, required"},
		"an option of a declared": {declarations + "from warehouse \"a\" ack_w¦ait 5s", "ack_wait: duration, default 30s"},
		"an epoch's option":       {"from nats \"a\" epoch 10 max¦_age 5s", "ends the epoch"},
		"a secret":                {"connection w nats passwo¦rd env \"P\"", "A secret"},
		"an unknown option":       {"from nats \"a\" nothing¦ 5s", ""},
		"a connection":            {declarations + "from ware¦house \"a\"", "connection warehouse nats"},
		"a kind":                  {"from nat¦s \"a\"", ""},
		"a schema":                {declarations + "from nats \"a\" schema ord¦er", "amount: float?"},
		"a column":                {flow + "where amou¦nt > 0", "amount: float?"},
		"a column's end":          {flow + "where amount¦ > 0", "amount: float?"},
		"a column behind a star":  {flow + "where /* ★𝕏 */ amou¦nt > 0", "amount: float?"},
		"a selected column":       {flow + "select { i¦d }", "id: string"},
		"a dropped column":        {flow + "drop \"job-i¦d\"", "job-id: int"},
		"an open column":          {"from nats \"a\"\nselect { id }\nwhere i¦d == 1", "typed by the first message"},
		"an envelope column":      {flow + "where _flow_sequ¦ence > 1", "_flow_sequence: int"},
		"a member of the message": {flow + "where msg.subject¦ == \"a\"", "msg.subject: string"},
		"a parameter":             {flow + "where amount > param.le¦ast", "param.least: float"},
		"a function":              {flow + "where tri¦m(id) == \"\"", "trim("},
		"an unknown column":       {flow + "where nothin¦g", ""},
		"a clause word":           {flow + "whe¦re id == \"\"", ""},
		"a broken clause":         {flow + "where amou¦nt >", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, offset := marked(t, test.text)
			s := server{options: testOptions}
			got := ""
			if h := s.hover(d, offset); h != nil {
				got = h.Contents.Value
			}
			if !strings.Contains(got, test.want) || (test.want == "") != (got == "") {
				t.Errorf("in\n%s\nexpected %q\nfound    %q", test.text, test.want, got)
			}
		})
	}
}

func TestDefinition(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a connection":          {declarations + "from ware¦house \"a\"", "warehouse"},
		"a sink's connection":   {declarations + "from nats \"a\" to warehouse¦ stream \"A\" subject \"a\"", "warehouse"},
		"a kind":                {declarations + "from na¦ts \"a\"", ""},
		"a schema":              {declarations + "from nats \"a\" schema o¦rder", "order"},
		"an unknown schema":     {declarations + "from nats \"a\" schema x¦", ""},
		"a parameter":           {declarations + "from nats \"a\" where x > param.le¦ast", "least"},
		"a parameter in a text": {declarations + "from nats \"a\" to nats stream \"\\u0041<param.e¦nv>\" subject \"a\"", "env"},
		"another hole":          {declarations + "from nats \"a\" to nats stream \"<resou¦rce>\" subject \"a\"", ""},
		"a column":              {declarations + "from nats \"a\" schema order where amo¦unt > 1", ""},
		"nothing":               {"¦", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, offset := marked(t, test.text)
			got := ""
			if l := definition(d, offset); l != nil {
				span := d.lines.spanOf(l.Range)
				if got = d.text()[span.Start:span.End]; span.Start > strings.LastIndex(declarations, got) {
					t.Errorf("expected the declaration, found what stands at %d", span.Start)
				}
			}
			if got != test.want {
				t.Errorf("in\n%s\nexpected %q, found %q", test.text, test.want, got)
			}
		})
	}
}

// TestCompletionReplaces checks what stays of a text when a completion is taken.
func TestCompletionReplaces(t *testing.T) {
	for _, test := range []struct{ text, label, want string }{
		{"from nats \"a\" ack¦", "ack_wait", "from nats \"a\" ack_wait"},
		{"from nats \"a\" to nats subject \"v1.<res¦>\"", "<resource>", "from nats \"a\" to nats subject \"v1.<resource>\""},
		{"from nats \"a\" to nats subject \"v1.<subject>.¦\"", "<resource>", "from nats \"a\" to nats subject \"v1.<subject>.<resource>\""},
		{"/* 𝕏 */ from nats \"a\" ep¦", "epoch", "/* 𝕏 */ from nats \"a\" epoch"},
	} {
		d, offset := marked(t, test.text)
		s := server{options: testOptions}
		got := "no such completion"
		for _, item := range s.complete(d, offset) {
			if item.Label == test.label {
				span := d.lines.spanOf(item.TextEdit.Range)
				got = d.text()[:span.Start] + item.TextEdit.NewText + d.text()[span.End:]
			}
		}
		if got != test.want {
			t.Errorf("%s: expected %q, found %q", test.text, test.want, got)
		}
	}
}

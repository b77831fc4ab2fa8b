package langserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func TestComplete(t *testing.T) {
	kind := nats.Kind()
	clauses := strings.Join(lang.ClauseWords(), " ")
	keys := func(fields connectors.Fields, given ...string) string {
		left := slices.DeleteFunc(fields.Keys(), func(key string) bool { return slices.Contains(given, key) })
		return strings.Join(left, " ")
	}
	envelope := "_flow_event_id _flow_subject _flow_stream _flow_sequence _flow_time _flow_operation _flow_key"
	words := "msg param true false nil not"
	operands := "id amount $env[\"job-id\"] customer " + envelope + " FUNCTIONS " + words
	holes := "<resource> <subject> <1> <param.env> <param.least> <id> <amount> <job-id> <customer>"
	flow := declarations + "from nats \"orders.>\"\nschema order\n"

	for name, test := range map[string]struct{ text, want string }{
		"an empty file":             {"¦", clauses},
		"a word at the start":       {"fr¦", clauses},
		"a new line":                {"connection w nats url \"nats://a\"\n¦", keys(kind.Connection, "url") + " " + clauses},
		"behind a comment":          {"// from nats ¦", ""},
		"in a block comment":        {"/* from nats ¦", ""},
		"a connection's name":       {"connection ¦", ""},
		"a connection's kind":       {"connection w ¦", "nats"},
		"a connection's options":    {"connection w nats url \"nats://a\" ¦", keys(kind.Connection, "url") + " " + clauses},
		"a word's values":           {"connection w nats auth_mode ¦", strings.Join(field(t, kind.Connection, "auth_mode").Values, " ")},
		"a begun value":             {"connection w nats auth_mode user¦", strings.Join(field(t, kind.Connection, "auth_mode").Values, " ")},
		"a bool":                    {"connection w nats tls_first ¦", "true false"},
		"a secret":                  {"connection w nats password ¦", "env file secret"},
		"a duration":                {"connection w nats connect_timeout ¦", "5s"},
		"a text":                    {"connection w nats name ¦", ""},
		"where to start":            {"from nats \"a\" start ¦", "all new last"},
		"a source":                  {declarations + "from ¦", "warehouse nats"},
		"a second source":           {declarations + "from nats \"a\", w¦", "warehouse nats"},
		"behind a source":           {"from nats \"a\" ¦", keys(kind.Source) + " as " + clauses},
		"behind a source's name":    {"from nats \"a\" as b ¦", clauses},
		"a source of a connection":  {declarations + "from warehouse \"a\" ¦", keys(kind.Source) + " as " + clauses},
		"an unknown connection":     {"from elsewhere \"a\" ¦", "as " + clauses},
		"a schema's name":           {declarations + "from nats \"a\" schema ¦", "order"},
		"a type":                    {"schema o { id: ¦", strings.Join(planner.TypeNames(), " ")},
		"a type in a closed record": {"schema o { id: ¦, b: int }", strings.Join(planner.TypeNames(), " ")},
		"a type in a list":          {"schema o { tags: [st¦", strings.Join(planner.TypeNames(), " ")},
		"a type in a record":        {"schema o { a: { b: [¦] } }", strings.Join(planner.TypeNames(), " ")},
		"a column's name":           {"schema o {\n  ¦", ""},
		"a parameter's type":        {"param p ¦", strings.Join(planner.TypeNames(), " ")},
		"a parameter's default":     {"param p bool = ¦", "true false"},
		"an epoch's options":        {"from nats \"a\" epoch 1000/1s ¦", "max_age " + clauses},
		"an operand":                {flow + "where ¦", operands},
		"a begun operand":           {flow + "where amount > 0 and cu¦ > 1\nto nats stream \"A\" subject \"a\"", operands},
		"an argument":               {flow + "where len(¦", operands},
		"an operand in brackets":    {flow + "where id in [\"a\", ¦", operands},
		"an operator":               {flow + "where amount ¦", clauses},
		"behind a condition":        {flow + "where amount > 0 ¦", clauses},
		"a line after an operator":  {flow + "where amount >\n¦", operands + " " + clauses},
		"a text in an expression":   {flow + "where id == \"¦", ""},
		"a parameter":               {flow + "where amount > param.¦", "env least"},
		"a member of the message":   {flow + "where msg.s¦", "subject stream sequence time operation key headers"},
		"a member of a record":      {flow + "where customer.¦ == \"x\"", "name city"},
		"a member behind ?.":        {flow + "where customer?.n¦", "name city"},
		"a member of nothing":       {flow + "where nothing.¦", ""},
		"selected columns":          {flow + "select { id, ¦", "id amount \"job-id\" customer " + envelope},
		"a computed column":         {flow + "select { total: ¦ }", operands},
		"after a select":            {flow + "select { id, total: amount * 2 }\ndrop ¦", "id total " + envelope},
		"a drop's second column":    {flow + "drop id, ¦", "id amount \"job-id\" customer " + envelope},
		"a sink":                    {declarations + "from nats \"a\" to ¦", "warehouse nats"},
		"a sink's options":          {"from nats \"a\" to nats stream \"A\" ¦", keys(kind.Sink, "stream") + " when otherwise " + clauses},
		"a sink's words":            {"from nats \"a\" to nats envelope ¦", "body headers none"},
		"a window":                  {"from nats \"a\" to nats max_in_flight ¦", "1024/16MiB"},
		"a hole":                    {flow + "to nats stream \"A\" subject \"v1.<¦", holes},
		"a begun hole":              {flow + "to nats stream \"A\" subject \"v1.<res¦>\"", holes},
		"a hole of a parameter":     {flow + "to nats stream \"A\" subject `<param.¦`", holes},
		"a text without holes":      {flow + "to nats headers \"<¦\"", ""},
		"a condition of a sink":     {flow + "to nats stream \"A\" subject \"a\" when ¦", operands},
		"behind otherwise":          {flow + "to nats stream \"A\" subject \"a\" otherwise ¦", clauses},
		"on":                        {"from nats \"a\" to nats stream \"A\" subject \"a\" on ¦", "error"},
		"on error":                  {"from nats \"a\" to nats stream \"A\" subject \"a\" on error ¦", "retry then stop skip dead letter to"},
		"on error retry":            {"from nats \"a\" to nats stream \"A\" subject \"a\" on error retry 5 ¦", "backoff then stop skip dead letter to " + clauses},
		"a dead letter":             {declarations + "from nats \"a\" to nats stream \"A\" subject \"a\" on error dead letter to ¦", "warehouse nats"},
		"a dead letter's options":   {"from nats \"a\" to nats stream \"A\" subject \"a\" on error dead letter to nats ¦", keys(kind.DeadLetter) + " " + clauses},
		"behind a broken clause":    {"schema o { id: int\nfrom nats \"a\"\nto ¦", "nats"},
	} {
		t.Run(name, func(t *testing.T) {
			d, offset := marked(t, test.text)
			s := server{options: testOptions}
			got := labels(s.complete(d, offset))
			if got != test.want {
				t.Errorf("in\n%s\nexpected %s\nfound    %s", test.text, test.want, got)
			}
		})
	}
}

// labels are the labels of a list, with the functions as one word.
func labels(items []completionItem) string {
	var functions, all []string
	for _, f := range expression.Functions() {
		functions = append(functions, f.Name)
	}
	for _, item := range items {
		all = append(all, item.Label)
	}
	return strings.Replace(strings.Join(all, " "), strings.Join(functions, " "), "FUNCTIONS", 1)
}

func field(t *testing.T, fields connectors.Fields, key string) connectors.Field {
	t.Helper()
	f, ok := fields.Lookup(key)
	if !ok {
		t.Fatalf("there is no option %s", key)
	}
	return f
}

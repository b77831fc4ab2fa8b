package nats

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
)

// Where rights are needed that most flows do without.
const (
	onlyOldServers = "servers before 2.14"
	onlyAckV2      = "servers whose acknowledgements name the account (js_ack_fc_v2)"
	onlySeen       = "flowc runs and flowtui are to see the run"
	onlyAccounts   = "source and destination are accounts of one server, or flowc check --connect is to say which rights are missing"
	onlyCopies     = "a named stream copies from others"
)

// rights are the subjects of what the connector does: each request of its other
// files, with * for the streams that only the server knows.
func rights(s connectors.Settings, uses []connectors.Use) connectors.Rights {
	r := rightsList{conn: &connection{settings: s}}
	r.api("INFO", "asking whether the account has JetStream")
	r.add(userInfoSubject, "telling two accounts apart", onlyAccounts)
	for _, use := range uses {
		if len(use.Sources) > 0 {
			r.source(use)
			r.ledger(use.Flow)
		}
		for _, spec := range use.Sinks {
			r.sink(use.Flow, spec)
		}
		if use.Dead != nil {
			r.deadLetters(*use.Dead)
		}
	}
	subscribe := []connectors.Right{{Subject: s.Text("inbox_prefix") + ".>", Purpose: "receiving answers and messages"}}
	if slices.ContainsFunc(uses, func(u connectors.Use) bool { return len(u.Sources) > 0 }) {
		r.add("_INBOX.>", "answering who asks for runs", onlySeen)
		subscribe = append(subscribe,
			connectors.Right{Subject: "$SRV.>", Purpose: "being found as a run", Only: onlySeen},
			connectors.Right{Subject: "$FLOW.>", Purpose: "being asked as a run", Only: onlySeen})
	}
	return connectors.Rights{Publish: r.minimal(), Subscribe: subscribe}
}

// rightsList collects what is published.
type rightsList struct {
	conn *connection // for its settings only
	all  []connectors.Right
}

func (r *rightsList) add(subject, purpose, only string) {
	r.all = append(r.all, connectors.Right{Subject: subject, Purpose: purpose, Only: only})
}

// api adds a request to JetStream.
func (r *rightsList) api(request, purpose string) { r.add(r.conn.api(request), purpose, "") }

func (r *rightsList) source(use connectors.Use) {
	for _, spec := range use.Sources {
		switch streams := named(spec); {
		case explicit(spec):
			r.stream(spec.Settings.Text("stream"), spec.Settings.Text("consumer"), true)
		case len(streams) > 0:
			for _, stream := range streams {
				r.stream(stream, consumerName(use.Flow), false)
			}
			r.add(r.conn.api("STREAM.INFO.*"), "looking for the streams that a stream copies from", onlyCopies)
		default:
			r.api("STREAM.LIST", "finding the streams that hold a subject")
			r.stream("*", consumerName(use.Flow), false)
		}
	}
}

// stream is what reading a stream through a consumer takes.
func (r *rightsList) stream(stream, consumer string, bound bool) {
	of := stream + "." + consumer
	if !bound {
		r.api("CONSUMER.CREATE."+of, "making the consumer")
		r.api("CONSUMER.RESET."+of, "going back to the last certified position")
		r.api("CONSUMER.UNPIN."+of, "taking the flow over from another process at once")
		r.add(r.conn.api("CONSUMER.DELETE."+of), "going back to the last certified position", onlyOldServers)
	}
	r.api("STREAM.INFO."+stream, "looking at a stream")
	r.api("STREAM.MSG.GET."+stream, "comparing the last certified message")
	r.api("DIRECT.GET."+stream, "comparing the last certified message, where a stream allows direct gets")
	r.api("CONSUMER.INFO."+of, "looking at the consumer")
	r.api("CONSUMER.MSG.NEXT."+of, "asking for messages")
	r.add("$JS.ACK."+of+".>", "acknowledging", "")
	r.add("$JS.ACK.*.*."+of+".>", "acknowledging", onlyAckV2)
}

func (r *rightsList) ledger(flow connectors.Identity) {
	r.api("STREAM.INFO."+ledgerStream, "looking at the ledger")
	r.api("STREAM.CREATE."+ledgerStream, "making the ledger, once")
	r.api("STREAM.MSG.GET."+ledgerStream, "reading the ledger")
	r.add(r.conn.ledgerOf(flow).prefix+">", "writing the ledger", "")
}

func (r *rightsList) sink(flow connectors.Identity, spec connectors.SinkSpec) {
	for i := range spec.Resources {
		stream := allowed(fillResource(spec, i, "stream"), spec.Selects[i])
		r.api("STREAM.INFO."+stream, "looking at a destination stream")
		if spec.Settings.Bool("create_stream") {
			r.api("STREAM.CREATE."+stream, "making a destination stream that is missing")
		}
		r.add(allowed(fillResource(spec, i, "subject"), spec.Selects[i]), "writing", "")
		if checksRevisions(spec) {
			r.api("STREAM.MSG.GET."+stream, "looking at the revisions of keys")
		}
		if spec.ExactlyOnce() {
			r.api("STREAM.MSG.GET."+stream, "reading the marker")
			r.add((&sink{flow: flow, spec: spec}).markerOn(stream), "writing the marker", "")
		}
	}
}

func (r *rightsList) deadLetters(spec connectors.DeadLetterSpec) {
	r.api("STREAM.LIST", "finding the stream that holds dead letters")
	if spec.Settings.Bool("create_stream") {
		r.api("STREAM.CREATE."+spec.Settings.Text("stream"), "making the stream for dead letters, once")
	}
	asSink := templatesOf(spec)
	for i := range spec.Resources {
		r.add(allowed(fillResource(asSink, i, "subject"), spec.Selects[i]), "writing dead letters", "")
	}
}

// minimal sorts the rights, and leaves out those that another one includes.
func (r *rightsList) minimal() []connectors.Right {
	slices.SortStableFunc(r.all, func(a, b connectors.Right) int {
		return cmp.Or(cmp.Compare(a.Only, b.Only), cmp.Compare(a.Subject, b.Subject))
	})
	all := slices.CompactFunc(r.all, func(a, b connectors.Right) bool { return a.Subject == b.Subject })
	return slices.DeleteFunc(slices.Clone(all), func(right connectors.Right) bool {
		return slices.ContainsFunc(all, func(wider connectors.Right) bool {
			return wider.Only == "" && wider.Subject != right.Subject && covers(wider.Subject, right.Subject)
		})
	})
}

// What stands in a template for a hole: one token or a part of one, or any number.
const (
	oneToken   = "\x00"
	manyTokens = "\x01"
)

// allowed is the narrowest filter of what a template becomes for messages that a
// source's filter matches.
func allowed(t connectors.Template, source string) string {
	if source == "" {
		source = ">" // a bound consumer reads its whole stream
	}
	filled := t.Append(nil, func(dst []byte, hole string) []byte {
		if n, ok := wildcardHole(hole); ok {
			return append(dst, nthWildcard(source, n)...)
		}
		if hole == "subject" {
			return append(dst, strings.NewReplacer("*", oneToken, ">", manyTokens).Replace(source)...)
		}
		return append(dst, oneToken...)
	})
	var tokens []string
	for token := range strings.SplitSeq(string(filled), ".") {
		switch {
		case strings.Contains(token, manyTokens):
			return strings.Join(append(tokens, ">"), ".") // what comes behind it has no fixed place
		case strings.Contains(token, oneToken):
			token = "*"
		}
		tokens = append(tokens, token)
	}
	return strings.Join(tokens, ".")
}

// nthWildcard is what the n-th wildcard of a filter, from 1, stands for.
func nthWildcard(filter string, n int) string {
	for token := range strings.SplitSeq(filter, ".") {
		if token != "*" && token != ">" {
			continue
		}
		if n--; n == 0 && token == ">" {
			return manyTokens
		}
	}
	return oneToken
}

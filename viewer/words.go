package viewer

import "github.com/flowlang/flow/monitor"

// phases are the executor's phases, as short as a line wants them, and as a sentence.
var phases = map[string]struct{ short, doing string }{
	"reading":       {"read", "reading"},
	"decoding":      {"dec", "decoding"},
	"transforming":  {"map", "mapping"},
	"applying":      {"pub", "publishing"},
	"committing":    {"commit", "committing"},
	"certifying":    {"cert", "certifying"},
	"acknowledging": {"ack", "acknowledging"},
	"recovering":    {"recover", "recovering"},
	"waiting":       {"wait", "waiting"},
	"idling":        {"idle", "idle"},
	"pausing":       {"pause", "paused"},
}

// sentences say what a run's time goes to.
var sentences = map[string]string{
	monitor.CauseIdle:           "idle, nothing to read",
	monitor.CauseRead:           "reading",
	monitor.CauseDecode:         "decoding",
	monitor.CauseTransform:      "mapping",
	monitor.CausePublish:        "publishing",
	monitor.CauseWindowMessages: "waiting for publish acks (message limit)",
	monitor.CauseWindowBytes:    "waiting for publish acks (byte limit)",
	monitor.CauseAcks:           "waiting for the last publish acks",
	monitor.CauseCommit:         "committing",
	monitor.CauseCertify:        "certifying",
	monitor.CauseAck:            "acknowledging the source",
	monitor.CauseRecover:        "going back to the last certificate",
	monitor.CauseWait:           "waiting for the next try",
	monitor.CausePause:          "paused",
}

// sentence is what a cause means; one of a newer run is shown as it is called.
func sentence(cause string) string {
	if text, ok := sentences[cause]; ok {
		return text
	}
	return cause
}

func shortPhase(name string) string {
	if p, ok := phases[name]; ok {
		return p.short
	}
	return name
}

func doing(name string) string {
	if p, ok := phases[name]; ok {
		return p.doing
	}
	return name
}

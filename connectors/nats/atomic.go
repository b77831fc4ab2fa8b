package nats

import (
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// atomicRows is how many messages a batch may hold besides the marker, on a server
// with its own settings: 1000 in all.
const atomicRows = 999

// batchMinor is the first version of the server, 2.12, that has atomic batches.
const batchMinor = 12

// fitForBatches refuses an existing stream that cannot take batches with a marker,
// and says how to change it.
func (s *sink) fitForBatches(info *jetstream.StreamInfo) error {
	c, marker := info.Config, s.markerOn(info.Config.Name)
	refuse := func(key, help, format string, args ...any) error {
		return connectors.Errorf(connectors.Environment, "the destination stream %s cannot be written to exactly once: %s", c.Name, fmt.Sprintf(format, args...)).
			WithHelp("%s", help).About(connectors.SinkRole, 0, key)
	}
	const elsewhere = "write into another stream; this cannot be changed"
	switch {
	case c.Retention != jetstream.LimitsPolicy:
		return refuse("stream", "write into a stream with limits retention", "it has %s retention, which would remove the marker", retentionWord(c.Retention))
	case c.PersistMode == jetstream.AsyncPersistMode:
		return refuse("stream", elsewhere, "it is persisted asynchronously, which atomic batches do not go with")
	case c.DenyPurge:
		return refuse("stream", elsewhere, "it denies purges (deny_purge), and a new marker replaces the one before")
	case c.DiscardNewPerSubject && c.MaxMsgsPerSubject == 1:
		return refuse("stream", edit(c, "--max-msgs-per-subject=2"), "it keeps one message a subject and refuses a newer one, which the next marker is")
	}
	if lacks, flags := missingForBatches(c, marker); len(lacks) > 0 {
		return refuse(settingOf(lacks), edit(c, flags...), "%s", strings.Join(lacks, ", and "))
	}
	if t := c.SubjectTransform; t != nil && (t.Source == "" || overlap(t.Source, marker)) {
		return refuse("stream", "name a subject that is not transformed with `marker \"...\"`", "its subject transform changes the marker's subject %q", marker)
	}
	return nil
}

// missingForBatches says what a stream lacks, and the flags of `nats stream edit`
// that add it.
func missingForBatches(c jetstream.StreamConfig, marker string) (lacks, flags []string) {
	add := func(why string, flag ...string) { lacks, flags = append(lacks, why), append(flags, flag...) }
	if !c.AllowAtomicPublish {
		add("it does not allow atomic batches (allow_atomic)", "--allow-batch")
	}
	if !c.AllowRollup {
		add("it does not allow the marker to replace the one before (allow_rollup)", "--allow-rollup")
	}
	if c.MaxAge > 0 && !c.AllowMsgTTL {
		add(fmt.Sprintf("its max_age of %s would remove the marker, as it does not allow a message to live longer (allow_msg_ttl)", connectors.ShortDuration(c.MaxAge)), "--allow-msg-ttl")
	}
	if _, ok := coversAny(c.Subjects, marker); !ok {
		wanted := marker
		if strings.HasPrefix(marker, markerPrefix(c.Name)) {
			wanted = markerFilter(c.Name)
		}
		var all []string
		for _, subject := range append(c.Subjects, wanted) {
			all = append(all, "--subjects="+shellWord(subject))
		}
		add(fmt.Sprintf("it does not capture the marker's subject %q", marker), all...)
	}
	return lacks, flags
}

// settingOf is the setting that a refusal is about: the marker's, if only it is missing.
func settingOf(lacks []string) string {
	if len(lacks) == 1 && strings.Contains(lacks[0], "marker's subject") {
		return "marker"
	}
	return "stream"
}

func edit(c jetstream.StreamConfig, flags ...string) string {
	return fmt.Sprintf("change it: nats stream edit %s %s", c.Name, strings.Join(flags, " "))
}

// shellWord quotes a subject that a shell would expand.
func shellWord(subject string) string {
	if strings.ContainsAny(subject, "*>$ '") {
		return "'" + strings.ReplaceAll(subject, "'", `'\''`) + "'"
	}
	return subject
}

func retentionWord(r jetstream.RetentionPolicy) string {
	if r == jetstream.WorkQueuePolicy {
		return "work-queue"
	}
	return strings.ToLower(r.String())
}

// warnOfLimits tells of limits by which the stream may remove the marker.
func (s *sink) warnOfLimits(c jetstream.StreamConfig) {
	var limits []string
	if c.MaxMsgs > 0 {
		limits = append(limits, "max_msgs "+connectors.FormatCount(c.MaxMsgs))
	}
	if c.MaxBytes > 0 {
		limits = append(limits, "max_bytes "+connectors.FormatSize(c.MaxBytes))
	}
	if len(limits) == 0 || c.Discard != jetstream.DiscardOld {
		return
	}
	s.link.report(connectors.Notice{Warning: true, Text: "the destination stream may remove the flow's marker while others write into it and the flow does not; the flow would stop at its next start",
		Attributes: []any{"stream", c.Name, "limits", strings.Join(limits, ", ")}})
}

// needsBatches refuses a server that has no atomic batches.
func (c *connection) needsBatches() error {
	if c.atLeast(batchMinor) {
		return nil
	}
	return connectors.Errorf(connectors.Environment, "`exactly once` needs nats-server 2.%d, and %s has %s", batchMinor, c, c.nc.ConnectedServerVersion()).
		WithHelp("update the server, or leave `exactly once` out").About(connectors.SinkRole, 0, connectors.ExactlyKey)
}

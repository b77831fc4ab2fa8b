package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// failing is a finding of an error that a run would stop with.
func failing(what, where string, err error) connectors.Finding {
	f := connectors.Finding{Level: connectors.Failing, What: what, Where: where, Found: err.Error(), Err: err}
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		f.Help = e.Help
	}
	return f
}

// Examine implements connectors.Examiner.
func (c *connection) Examine(ctx context.Context, use connectors.Use) connectors.Examination {
	var e connectors.Examination
	c.examineAccount(ctx, use, &e)
	c.examineRights(ctx, use, &e)
	if len(use.Sources) > 0 {
		c.examineLedger(ctx, &e)
	}
	if use.Dead != nil {
		c.examineDeadLetters(ctx, *use.Dead, &e)
	}
	return e
}

// nearlyFull is the part of a limit from which on a warning is due.
const nearlyFull = 0.9

// examineAccount looks at the server and at the account's limits.
func (c *connection) examineAccount(ctx context.Context, use connectors.Use, e *connectors.Examination) {
	where := c.where()
	server := connectors.Finding{Level: connectors.Good, What: "server", Where: where,
		Found: fmt.Sprintf("nats-server %s, messages up to %s", c.nc.ConnectedServerVersion(), connectors.FormatSize(c.nc.MaxPayload()))}
	switch {
	case !c.atLeast(10):
		server.Level, server.Expected, server.Help = connectors.Failing, "2.10 or newer", "update the server"
	case len(use.Sources) > 0 && !c.atLeast(11):
		server.Level, server.Expected, server.Help = connectors.Warned, "2.11 or newer, so that another process can stand by", "update the server"
	}
	e.Add(server)
	var info *jetstream.AccountInfo
	if err := c.call(ctx, func(ctx context.Context) (err error) {
		info, err = c.js.AccountInfo(ctx)
		return err
	}); err != nil {
		e.Add(failing("account", where, failed(err, "asking for the account")))
		return
	}
	account := connectors.Finding{Level: connectors.Good, What: "account", Where: where,
		Found: fmt.Sprintf("%s, %s, %s on disk, %s in memory", used(info.Streams, info.Limits.MaxStreams, "stream"), used(info.Consumers, info.Limits.MaxConsumers, "consumer"),
			usedBytes(info.Store, info.Limits.MaxStore), usedBytes(info.Memory, info.Limits.MaxMemory))}
	if full := fullest(info); full != "" {
		account.Level, account.Expected, account.Help = connectors.Warned, "room for more "+full, "raise the account's limit, or remove what is not needed"
	}
	e.Add(account)
}

func used(n, limit int, of string) string {
	if limit > 0 {
		return fmt.Sprintf("%d of %s", n, plural(int64(limit), of))
	}
	return plural(int64(n), of)
}

func usedBytes(n uint64, limit int64) string {
	if limit > 0 {
		return connectors.FormatSize(int64(n)) + " of " + connectors.FormatSize(limit)
	}
	return connectors.FormatSize(int64(n))
}

// fullest names what of the account is used up, or nearly; empty if nothing is.
func fullest(info *jetstream.AccountInfo) string {
	for _, l := range []struct {
		of          string
		used, limit float64
	}{
		{"streams", float64(info.Streams), float64(info.Limits.MaxStreams)},
		{"consumers", float64(info.Consumers), float64(info.Limits.MaxConsumers)},
		{"bytes on disk", float64(info.Store), float64(info.Limits.MaxStore)},
		{"bytes in memory", float64(info.Memory), float64(info.Limits.MaxMemory)},
	} {
		if l.limit > 0 && l.used >= nearlyFull*l.limit {
			return l.of
		}
	}
	return ""
}

// examineRights compares what the user may do with what the flow needs.
func (c *connection) examineRights(ctx context.Context, use connectors.Use, e *connectors.Examination) {
	u, err := c.user(ctx)
	if err != nil {
		e.Add(connectors.Finding{Level: connectors.Warned, What: "permissions", Where: c.where(), Found: "not known: " + describe(err),
			Expected: "the right to ask for them", Help: fmt.Sprintf("let the user publish to %q, or compare with flowc check --permissions", userInfoSubject)})
		return
	}
	needed := rights(c.settings, []connectors.Use{use})
	missing := slices.Concat(lacking("publish to", needed.Publish, u.Permissions.Publish), lacking("subscribe to", needed.Subscribe, u.Permissions.Subscribe))
	if len(missing) == 0 {
		e.Add(connectors.Finding{Level: connectors.Good, What: "permissions", Where: c.where(), Found: "all that the flow needs"})
	}
	for _, m := range missing {
		e.Add(connectors.Finding{Level: connectors.Failing, What: "permissions", Where: c.where(), Found: "the user may not " + m,
			Expected: "that right", Help: "give it to the user on the server; flowc check --permissions prints all of them"})
	}
}

// lacking are the rights that the user does not have in full, with what each is for.
func lacking(verb string, needed []connectors.Right, has *granted) []string {
	if has == nil {
		return nil
	}
	var missing []string
	for _, right := range needed {
		if right.Only != "" {
			continue
		}
		_, allowed := coversAny(has.Allow, right.Subject)
		_, denied := overlapAny(has.Deny, right.Subject)
		if denied || len(has.Allow) > 0 && !allowed {
			missing = append(missing, fmt.Sprintf("%s %q (%s)", verb, right.Subject, right.Purpose))
		}
	}
	return missing
}

func (c *connection) examineLedger(ctx context.Context, e *connectors.Examination) {
	where := "stream " + ledgerStream
	found, err := c.findLedger(ctx)
	if err != nil {
		e.Add(failing("ledger", where, err))
		return
	}
	if !found {
		c.examineMissing(ctx, "ledger", ledgerStream, []string{c.ledgerRoot() + ".>"}, e)
		return
	}
	info, err := c.streamInfo(ctx, ledgerStream)
	if err != nil || info == nil {
		return // it was there just now
	}
	f := connectors.Finding{Level: connectors.Good, What: "ledger", Where: where, Found: describeStream(info)}
	switch {
	case info.Config.Storage == jetstream.MemoryStorage:
		f.Level, f.Expected, f.Help = connectors.Warned, "file storage", "what flows have certified is forgotten with the server: stop them, and make the stream anew with file storage"
	case c.nc.ConnectedClusterName() != "" && info.Config.Replicas < ledgerReplicas:
		f.Level, f.Expected = connectors.Warned, fmt.Sprintf("%d replicas in a cluster", ledgerReplicas)
		f.Help = fmt.Sprintf("nats stream edit %s --replicas %d", ledgerStream, ledgerReplicas)
	}
	e.Add(f)
}

// examineMissing says that a stream will be made, or why it cannot be.
func (c *connection) examineMissing(ctx context.Context, what, name string, subjects []string, e *connectors.Examination) {
	for _, subject := range subjects {
		infos, err := c.streamsOn(ctx, subject)
		if connectors.ClassOf(err) == connectors.Environment && ctx.Err() == nil {
			// A run does not ask: the server refuses to make a stream on another's subjects.
			e.Add(connectors.Finding{Level: connectors.Warned, What: what, Where: "stream " + name,
				Found:    fmt.Sprintf("missing; it will be made for %s, unless another stream captures a part of that: %v", strings.Join(subjects, " "), err),
				Expected: "the right to ask for the streams on a subject", Help: "a run does without it; without other streams on these subjects all is well"})
			return
		}
		if err != nil {
			e.Add(failing(what, "stream "+name, failed(err, "looking for streams on %q", subject)))
			return
		}
		if len(infos) > 0 {
			e.Add(connectors.Finding{Level: connectors.Failing, What: what, Where: "stream " + name,
				Found:    fmt.Sprintf("missing, and stream %s captures a part of %q", infos[0].Config.Name, subject),
				Expected: "a stream, or subjects that no other stream captures", Help: "write into that stream, or to other subjects; the ledger goes elsewhere with `ledger_subject`"})
			return
		}
	}
	e.Add(connectors.Finding{Level: connectors.Good, What: what, Where: "stream " + name, Found: "missing; it will be made for " + strings.Join(subjects, " ")})
}

// examineDeadLetters finds where dead letters would go.
func (c *connection) examineDeadLetters(ctx context.Context, spec connectors.DeadLetterSpec, e *connectors.Examination) {
	d := &deadLetters{session: session{link: c}, spec: templatesOf(spec)}
	var names []string
	for i := range spec.Resources {
		subject := pattern(fillResource(d.spec, i, "subject"))
		info, err := d.capturing(ctx, subject)
		if err == nil && info != nil {
			err = suitable(info, connectors.DeadLetterRole, "subject")
		}
		switch {
		case err != nil:
			e.Add(failing("dead letters", "subject "+subject, err))
			return
		case info == nil && !spec.Settings.Bool("create_stream"):
			e.Add(connectors.Finding{Level: connectors.Failing, What: "dead letters", Where: "subject " + subject, Found: "no stream captures it",
				Expected: "a stream that does", Help: "make one, or leave `create_stream false` out"})
			return
		case info == nil:
			c.examineMissing(ctx, "dead letters", spec.Settings.Text("stream"), d.subjects(), e)
			return
		case !slices.Contains(names, info.Config.Name):
			names = append(names, info.Config.Name)
			e.Add(connectors.Finding{Level: connectors.Good, What: "dead letters", Where: "stream " + info.Config.Name, Found: describeStream(info)})
		}
	}
}

// describeStream says how a stream keeps what it was given.
func describeStream(info *jetstream.StreamInfo) string {
	config := info.Config
	parts := []string{fmt.Sprintf("%s storage", strings.ToLower(config.Storage.String())), plural(int64(config.Replicas), "replica")}
	if config.PersistMode == jetstream.AsyncPersistMode {
		parts = append(parts, "asynchronous persistence")
	}
	if config.Retention != jetstream.LimitsPolicy {
		parts = append(parts, strings.ToLower(config.Retention.String())+" retention")
	}
	if config.Duplicates > 0 {
		parts = append(parts, "duplicate window "+connectors.ShortDuration(config.Duplicates))
	}
	for _, l := range []struct {
		is   bool
		text string
	}{
		{config.MaxAge > 0, "max age " + connectors.ShortDuration(config.MaxAge)},
		{config.MaxMsgs > 0, "at most " + plural(config.MaxMsgs, "message")},
		{config.MaxBytes > 0, "at most " + connectors.FormatSize(config.MaxBytes)},
	} {
		if l.is {
			parts = append(parts, l.text)
		}
	}
	return strings.Join(append(parts, plural(int64(info.State.Msgs), "message")+" in it"), ", ")
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return connectors.FormatCount(n) + " " + what + "s"
}

// powerFailure is what holds of every stream: the client cannot ask for the server's
// setting.
func powerFailure(where string) connectors.Finding {
	return connectors.Finding{Level: connectors.Good, What: "durability", Where: where,
		Found: "a server acknowledges before its disk is synced: its `sync_interval` (2m unless set) decides what a power failure takes back"}
}

// depth is what a stream is compared by.
func (c *connection) depth(info *jetstream.StreamInfo) connectors.Depth {
	d := connectors.Depth{Stream: info.Config.Name, Replicas: info.Config.Replicas, Message: c.nc.MaxPayload()}
	if limit := int64(info.Config.MaxMsgSize); limit > 0 {
		d.Message = min(d.Message, limit)
	}
	return d
}

package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

// source reads streams in turn, one of them an epoch. The broker's mutex guards it.
type source struct {
	*connection
	flow   connectors.Identity
	specs  []connectors.SourceSpec
	until  bool
	idle   func(bool)
	tracks []*track
	turn   int
	link   int    // of the broker, at the last Seek
	broken string // why only Seek can go on; empty if all is well
}

// track is how far one stream is read.
type track struct {
	spec   int
	life   connectors.Incarnation
	floor  uint64 // everything up to it is acknowledged
	read   uint64 // and up to here delivered
	target uint64 // the last sequence before the run is caught up
	loaned []*delivery
}

// OpenSource implements connectors.Connection.
func (c *connection) OpenSource(_ context.Context, flow connectors.Identity, specs []connectors.SourceSpec, options connectors.SourceOptions) (connectors.Source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errDown()
	}
	s := &source{connection: c, flow: flow, specs: specs, until: options.UntilCaughtUp, idle: options.Idle, broken: "it was not sought yet"}
	if s.idle == nil {
		s.idle = func(bool) {}
	}
	for i, spec := range specs {
		if c.streams[spec.Select] == nil {
			e := connectors.Errorf(connectors.Environment, "%w: the process's memory has no stream %q", connectors.ErrNoSource, spec.Select)
			return nil, e.About(connectors.SourceRole, i, "").Instead(spec.Select, c.names())
		}
		s.tracks = append(s.tracks, &track{spec: i})
	}
	return s, nil
}

// Avoid implements connectors.Source.
func (s *source) Avoid(targets []connectors.Target) error {
	for _, t := range targets {
		for i, spec := range s.specs {
			if t.Account == s.account() && t.Stream == spec.Select {
				return loop(t.Stream).About(connectors.SinkRole, 0, t.Key).Against(connectors.SourceRole, i, "the source")
			}
		}
	}
	return nil
}

// Streams implements connectors.Source.
func (s *source) Streams() []connectors.SourceStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []connectors.SourceStream
	for _, spec := range s.specs {
		one := connectors.SourceStream{Stream: spec.Select, Replicas: 1, All: true}
		if in := s.streams[spec.Select]; in != nil {
			in.describe(&one)
		}
		all = append(all, one)
	}
	return all
}

// describe says what the stream holds.
func (s *stream) describe(to *connectors.SourceStream) {
	for i := range s.messages {
		m := &s.messages[i]
		if m.gone {
			continue
		}
		if to.Messages == 0 {
			to.Oldest = time.Unix(0, m.time)
		}
		to.Messages++
		to.Bytes += uint64(m.size())
	}
}

// Confine implements connectors.Source. A spec names one stream, and nothing else
// comes to match.
func (s *source) Confine([]string) {}

// Held implements connectors.Source.
func (s *source) Held(context.Context) (connectors.Tenure, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return connectors.TenureUnknown, errDown()
	}
	for _, spec := range s.specs {
		if p := s.readers[readerKey{s.flow, spec.Select}]; p != nil && p.owner != nil && p.owner != s {
			return connectors.Occupied, nil
		}
	}
	return connectors.Vacant, nil
}

// Seek implements connectors.Source.
func (s *source) Seek(_ context.Context, records string, from []connectors.Position) ([]connectors.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, errDown()
	}
	good := slices.DeleteFunc(slices.Clone(from), func(p connectors.Position) bool {
		return slices.ContainsFunc(s.specs, func(spec connectors.SourceSpec) bool { return spec.Select == p.Stream })
	})
	for _, t := range s.tracks {
		p, err := s.seek(t, records, from)
		if err != nil {
			return nil, err
		}
		if p.Sequence > 0 {
			good = append(good, p)
		}
	}
	for _, t := range s.tracks {
		p := s.readers[readerKey{s.flow, s.specs[t.spec].Select}]
		if p.owner != nil && p.owner != s {
			p.owner.broken = "another one reads"
		}
		p.owner = s
	}
	s.link, s.broken = s.Broker.link, ""
	s.signal()
	return good, nil
}

// seek places one track, and is the position that it found good.
func (s *source) seek(t *track, records string, from []connectors.Position) (connectors.Position, error) {
	name := s.specs[t.spec].Select
	in := s.streams[name]
	if in == nil {
		return connectors.Position{}, connectors.Errorf(connectors.Environment, "the source stream %s is gone", name).About(connectors.SourceRole, t.spec, "")
	}
	key := readerKey{s.flow, name}
	kept := s.readers[key]
	if kept != nil && kept.records != records {
		return connectors.Position{}, connectors.Errorf(connectors.Permanent, "stream %s is read for other records of flow %s than those of this ledger", name, s.flow).
			WithHelp("its ledger was lost, or another one is used")
	}
	var floor connectors.Position
	for _, p := range from {
		if p.Stream == name {
			floor = p
		}
	}
	anew := floor.Sequence > 0 && floor.Created != in.life.Created || t.life.Created > 0 && t.life != in.life
	switch {
	case anew:
		s.report(connectors.Notice{Warning: true, Text: "the source stream was deleted and made again; it is read from its first message", Attributes: []any{"stream", name}})
		floor = connectors.Position{}
	case floor.Sequence > in.last():
		return floor, connectors.Errorf(connectors.Permanent, "the source stream %s went back: it ends at sequence %d, and the flow has certified up to %d", name, in.last(), floor.Sequence)
	}
	if t.target == 0 || t.life != in.life {
		t.target = in.last()
	}
	t.life, t.floor, t.read, t.loaned = in.life, floor.Sequence, floor.Sequence, nil
	s.readers[key] = &position{records: records, life: in.life, acked: floor.Sequence}
	if kept != nil {
		s.readers[key].owner = kept.owner
	}
	return floor, nil
}

// Read implements connectors.Source.
func (s *source) Read(ctx context.Context, bounds connectors.Bounds, stop <-chan struct{}) (connectors.Delivery, error) {
	budget := time.NewTimer(bounds.MaxWait)
	defer budget.Stop()
	var age <-chan time.Time // runs from the first record
	over := false
	for {
		s.mu.Lock()
		d, waiting, err := s.collect(bounds, over)
		changed := s.changed
		s.mu.Unlock()
		if d != nil || err != nil {
			return d, err
		}
		if waiting && age == nil && bounds.MaxAge > 0 {
			timer := time.NewTimer(bounds.MaxAge)
			defer timer.Stop()
			age = timer.C
		}
		s.idle(!waiting)
		select {
		case <-changed:
		case <-budget.C:
			over = true
		case <-age:
			over = true
		case <-stop:
			over, stop = true, nil
		case <-ctx.Done():
			s.idle(false)
			return nil, ctx.Err()
		}
		s.idle(false)
	}
}

// collect returns the epoch if a bound is met or it is over; a nil interface if not
// yet, and whether something waits to be in it.
func (s *source) collect(bounds connectors.Bounds, over bool) (connectors.Delivery, bool, error) {
	if err := s.usable(); err != nil {
		return nil, false, err
	}
	t := s.tracks[s.turn%len(s.tracks)]
	drained := s.until
	for i := range s.tracks {
		other := s.tracks[(s.turn+i)%len(s.tracks)]
		s.pass(other)
		drained = drained && other.read >= other.target
		if t.read == s.end(t) {
			t = other
		}
	}
	if drained {
		return nil, false, connectors.ErrDrained
	}
	d, full := s.take(t, bounds)
	n := len(d.messages)
	last := s.until && n > 0 && d.last().Sequence >= t.target
	if !full && !last && !over {
		return nil, n > 0, nil
	}
	if n > 0 {
		t.read = d.last().Sequence
		t.loaned = append(t.loaned, d)
	}
	s.turn = slices.Index(s.tracks, t) + 1
	return d, false, nil
}

// pass goes past messages that were removed.
func (s *source) pass(t *track) {
	in := s.streams[t.life.Stream]
	for t.read < in.last() && in.messages[t.read].gone {
		t.read++
	}
}

// take is the epoch as it could be now, and whether a bound is met.
func (s *source) take(t *track, bounds connectors.Bounds) (d *delivery, full bool) {
	d = &delivery{source: s, track: t, life: t.life}
	in := s.streams[t.life.Stream]
	size := int64(0)
	for at := t.read + 1; at <= in.last(); at++ {
		if in.messages[at-1].gone {
			continue
		}
		d.messages = append(d.messages, in.message(at, &d.life, t.spec))
		size += in.messages[at-1].size()
		if len(d.messages) == bounds.MaxRecords || bounds.MaxBytes > 0 && size >= bounds.MaxBytes {
			return d, true
		}
	}
	return d, false
}

// end is the newest sequence of a track's stream; usable has looked whether it is there.
func (s *source) end(t *track) uint64 { return s.streams[t.life.Stream].last() }

// usable says why nothing can be read or acknowledged.
func (s *source) usable() error {
	if s.down {
		return errDown()
	}
	if s.link != s.Broker.link && s.broken == "" {
		s.broken = "the broker was down"
	}
	if s.broken == "" {
		for _, t := range s.tracks {
			if in := s.streams[t.life.Stream]; in == nil || in.life != t.life {
				s.broken = "stream " + t.life.Stream + " was deleted"
			}
		}
	}
	if s.broken != "" {
		return fmt.Errorf("%s: %w", s.broken, connectors.ErrInterrupted)
	}
	return nil
}

// Stats implements connectors.Source.
func (s *source) Stats() connectors.SourceStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	var stats connectors.SourceStats
	for _, t := range s.tracks {
		in := s.streams[s.specs[t.spec].Select]
		if in == nil || in.life != t.life {
			continue
		}
		stats.Pending += in.last() - t.read
		one := connectors.StreamStats{Stream: t.life.Stream, Consumer: s.flow.String(), Certified: t.floor, Lag: in.last() - t.floor, Loss: connectors.NoLoss}
		if t.read > t.floor {
			one.Oldest = time.Unix(0, in.messages[t.floor].time)
		}
		stats.Streams = append(stats.Streams, one)
	}
	return stats
}

// Close implements connectors.Source.
func (s *source) Close(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = "it is closed"
	for _, p := range s.readers {
		if p.owner == s {
			p.owner = nil
		}
	}
	s.signal()
	return nil
}

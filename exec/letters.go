package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// ReplayedLetter is what became of a dead letter that went through its flow again.
type ReplayedLetter struct {
	Stream   string `json:"stream"` // that held the letter
	Sequence uint64 `json:"sequence"`
	Event    string `json:"event,omitempty"`
	Rows     int    `json:"rows"` // that were written; 0 if the flow filters it now
	// Failed says why it is a dead letter still; empty if it is gone.
	Failed string `json:"failed,omitempty"`
}

// lettersChain is the chain of the ledger with the rows that came of dead letters.
const lettersChain = "letters"

// lettersRecord names rows that no certificate counts, so that Verify knows them.
type lettersRecord struct {
	Format  int         `json:"format"`
	Owner   Owner       `json:"owner"`
	Written time.Time   `json:"written"`
	Rows    []letterRow `json:"rows"`
	// Places are the streams of the rows, and what they held before.
	Places []letterPlace `json:"places,omitempty"`
}

// letterPlace is how far a stream went before rows that came of letters were written.
type letterPlace struct {
	Connection string `json:"connection"`
	Stream     string `json:"stream"`
	Created    int64  `json:"created"` // Unix nanoseconds
	Last       uint64 `json:"last"`    // sequence
}

// letterRow is a row's place, and its key there, see stray.
type letterRow struct {
	Connection string `json:"connection"`
	Stream     string `json:"stream"`
	Key        string `json:"key"`
}

// ReplayLetters lets dead letters go through the flow as it is now: what comes of the
// original message is written as the row of the original event. A repetition is
// dropped like any other; rows that an earlier replay wrote before it was cut are
// looked for in their streams, and not written again, however long that is ago. Another
// replay may go on meanwhile. A letter is removed once that is acknowledged; one whose
// message is bad still stays. The flow may run meanwhile: nothing is certified, and no
// reader is touched. told is called for each letter.
func ReplayLetters(ctx context.Context, flow *planner.Flow, ledger connectors.Ledger, letters []connectors.Letter, notice func(connectors.Notice), told func(ReplayedLetter)) error {
	if flow.Dead == nil {
		return connectors.Errorf(connectors.Refused, "flow %s keeps no dead letters", flow.Identity).WithHelp("let it: `on error dead letter`")
	}
	r, err := newReplayer(ctx, flow, ledger, notice)
	if err != nil {
		return err
	}
	defer r.close()
	r.options.AcceptDead = true // a person has chosen these
	last, _, err := r.chain.newestRecord(ctx)
	if err != nil {
		return err
	}
	for _, resource := range r.resources {
		if err := resource.load(ctx, ledger, last.State.Schemas[resource.name]); err != nil {
			return err
		}
	}
	if err := r.open(ctx, false); err != nil {
		return err
	}
	announced := newAnnouncements()
	for len(letters) > 0 {
		n := min(len(letters), flow.Epoch.MaxRecords)
		if err := r.replayLetters(ctx, letters[:n], announced, told); err != nil {
			return err
		}
		letters = letters[n:]
	}
	return nil
}

// replayLetters writes what comes of some letters, says so in the ledger, and removes
// them.
func (r *replayer) replayLetters(ctx context.Context, letters []connectors.Letter, announced *announcements, told func(ReplayedLetter)) error {
	e := r.slots[0]
	e.begin(planner.SkipBadRows)
	e.delivery = rereadDelivery(usable(letters))
	if err := r.decode(e); err != nil {
		return err
	}
	if err := r.transform(e); err != nil {
		return err
	}
	if err := r.ready(ctx, e); err != nil {
		return err
	}
	written := r.rowsOf()
	for {
		err := r.announce(ctx, e, announced)
		if err == nil {
			break
		}
		if !errors.Is(err, connectors.ErrSuperseded) {
			return err
		}
		// Another replay has announced rows since, which may be the same ones.
	}
	for i, sink := range r.sinks {
		if err := sink.Apply(ctx); err != nil {
			return r.sinkFailed(i, err)
		}
	}
	if err := r.commit(ctx, e); err != nil {
		return err
	}
	return r.settle(ctx, e, letters, written, told)
}

// announce says in the ledger which rows will be written: those that are not there.
func (r *replayer) announce(ctx context.Context, e *epoch, announced *announcements) error {
	if err := announced.follow(ctx, r.ledger); err != nil {
		return err
	}
	there, err := r.alreadyThere(ctx, r.rowsOf().rows, announced)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		for i, sink := range r.sinks {
			r.keep(e, i, sink, func(p connectors.Prepared) bool { return !there[r.letterRow(i, p)] })
		}
		if err := r.ready(ctx, e); err != nil {
			return err
		}
	}
	return r.record(ctx, r.rowsOf().rows, announced.version)
}

// usable are the messages of letters that say which event they were.
func usable(letters []connectors.Letter) []connectors.Message {
	var messages []connectors.Message
	for i := range letters {
		if letters[i].Message.Source != nil {
			messages = append(messages, letters[i].Message)
		}
	}
	return messages
}

// letterRows are the rows that the sinks have ready.
type letterRows struct {
	rows   []letterRow
	counts map[string]int // by event
}

func (r *replayer) rowsOf() letterRows {
	all := letterRows{counts: map[string]int{}}
	for i, sink := range r.sinks {
		sink.Prepared(func(p connectors.Prepared) {
			all.rows = append(all.rows, r.letterRow(i, p))
			all.counts[string(p.From.AppendEventID(nil))]++
		})
	}
	return all
}

// letterRow names a row that a sink has ready.
func (r *replayer) letterRow(sink int, p connectors.Prepared) letterRow {
	s := stray{subject: p.Subject, id: p.ID, event: p.Event}
	return letterRow{Connection: r.flow.Sinks[sink].Connection.Name, Stream: p.Stream, Key: s.key()}
}

// alreadyThere are those of the rows that an earlier replay had announced, and that
// their streams hold: it was cut before it removed their letters.
func (r *replayer) alreadyThere(ctx context.Context, rows []letterRow, announced *announcements) (map[letterRow]bool, error) {
	sought := slices.DeleteFunc(rows, func(row letterRow) bool { _, ok := announced.rows[row]; return !ok })
	places, err := r.places(ctx, sought)
	if err != nil {
		return nil, err
	}
	there := map[letterRow]bool{}
	for _, now := range places {
		first, of := now.Last+1, map[string]letterRow{}
		for _, row := range sought {
			if row.Connection != now.Connection || row.Stream != now.Stream {
				continue
			}
			of[row.Key] = row
			switch before := announced.rows[row]; {
			case before.Created != now.Created: // it was made anew, or is not known
				first = 1
			default:
				first = min(first, before.Last+1)
			}
		}
		err := r.archive(now.Connection).Scan(ctx, now.Stream, first, toTheEnd, func(m *connectors.Stored) error {
			s := stray{subject: m.Subject, id: m.ID, event: m.Event}
			if row, ok := of[s.key()]; ok {
				there[row] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return there, nil
}

// archive is the flow's connection of that name, which a sink has.
func (r *replayer) archive(connection string) connectors.Archive {
	for c, conn := range r.conns {
		if c.Name == connection {
			return conn
		}
	}
	return nil
}

// places are the streams of rows, as they are now.
func (r *replayer) places(ctx context.Context, rows []letterRow) ([]letterPlace, error) {
	var places []letterPlace
	for _, row := range rows {
		if slices.ContainsFunc(places, func(p letterPlace) bool { return p.Connection == row.Connection && p.Stream == row.Stream }) {
			continue
		}
		holding, err := r.archive(row.Connection).Holding(ctx, row.Stream)
		if err != nil {
			return nil, err
		}
		places = append(places, letterPlace{row.Connection, row.Stream, holding.Created, holding.Last})
	}
	return places, nil
}

// record says in the ledger which rows will come of letters. It is written first: a row
// that no record names would look like a certified one's copy. The chain must not have
// gone on since version, up to which rows were looked for: ErrSuperseded otherwise.
func (r *replayer) record(ctx context.Context, written []letterRow, version uint64) error {
	for len(written) > 0 {
		n := fittingRows(written)
		places, err := r.places(ctx, written[:n])
		if err != nil {
			return err
		}
		data, err := json.Marshal(lettersRecord{Format: recordFormat, Owner: thisProcess(), Written: time.Now().UTC(), Rows: written[:n], Places: places})
		if err != nil {
			return err
		}
		if version, err = r.ledger.Append(ctx, lettersChain, version, data); err != nil {
			return err
		}
		written = written[n:]
	}
	return nil
}

// lettersBytes bounds the text of one record's rows: an entry of the ledger is a message.
const lettersBytes = 128 << 10

// fittingRows is how many of the rows one record takes, at least one.
func fittingRows(written []letterRow) int {
	size := 0
	for n, row := range written {
		if size += len(row.Connection) + len(row.Stream) + len(row.Key); size > lettersBytes && n > 0 {
			return n
		}
	}
	return len(written)
}

// settle removes the letters that went through, and tells of each what became of it.
func (r *replayer) settle(ctx context.Context, e *epoch, letters []connectors.Letter, written letterRows, told func(ReplayedLetter)) error {
	bad := map[string]string{}
	for _, f := range e.bad.faults {
		bad[string(f.message.AppendEventID(nil))] = fmt.Sprintf("%s: %v", f.Code, f.Err)
	}
	for _, l := range letters {
		done := ReplayedLetter{Stream: l.Stream, Sequence: l.Sequence}
		if l.Message.Source == nil {
			done.Failed = "it does not say which event it was: an older flowc wrote it"
		} else {
			done.Event = string(l.Message.AppendEventID(nil))
			done.Rows, done.Failed = written.counts[done.Event], bad[done.Event]
		}
		if done.Failed == "" {
			if err := r.conns[r.flow.Dead.Connection].RemoveLetter(ctx, l.Stream, l.Sequence); err != nil {
				return err
			}
		}
		told(done)
	}
	return nil
}

// announcements are rows that came of letters, and how far their streams went before
// the first replay that announced them; at 0 where its record does not say.
type announcements struct {
	rows    map[letterRow]letterPlace
	version uint64 // of the last entry of the chain that was read
}

func newAnnouncements() *announcements {
	return &announcements{rows: map[letterRow]letterPlace{}}
}

// follow reads what came since.
func (a *announcements) follow(ctx context.Context, ledger connectors.Ledger) error {
	for {
		entry, err := ledger.Next(ctx, lettersChain, a.version)
		if err != nil || entry.Version == 0 {
			return err
		}
		var record lettersRecord
		if err := decodeRecord(entry.Data, &record); err != nil {
			return fmt.Errorf("entry %d of the letters in the ledger (%s): %w", entry.Version, ledger, err)
		}
		for _, row := range record.Rows {
			if _, ok := a.rows[row]; !ok {
				a.rows[row] = record.place(row)
			}
		}
		a.version = entry.Version
	}
}

func (r lettersRecord) place(of letterRow) letterPlace {
	for _, p := range r.Places {
		if p.Connection == of.Connection && p.Stream == of.Stream {
			return p
		}
	}
	return letterPlace{}
}

package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

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

// of says whether a row is in this stream.
func (p letterPlace) of(row letterRow) bool {
	return p.Connection == row.Connection && p.Stream == row.Stream
}

// letterRow is a row's place, and its key there, see stray.
type letterRow struct {
	Connection string `json:"connection"`
	Stream     string `json:"stream"`
	Key        string `json:"key"`
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

func (r lettersRecord) place(row letterRow) letterPlace {
	if i := slices.IndexFunc(r.Places, func(p letterPlace) bool { return p.of(row) }); i >= 0 {
		return r.Places[i]
	}
	return letterPlace{}
}

// announceRows says in the ledger which rows will be written: those that are not there.
func (r *replayer) announceRows(ctx context.Context, e *epoch, announced *announcements) error {
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
		first, here := now.Last+1, map[string]letterRow{}
		for _, row := range sought {
			if !now.of(row) {
				continue
			}
			here[row.Key] = row
			if before := announced.rows[row]; before.Created == now.Created {
				first = min(first, before.Last+1)
			} else { // it was made anew, or is not known
				first = 1
			}
		}
		err := r.connectionNamed(now.Connection).Scan(ctx, now.Stream, first, toTheEnd, func(m *connectors.Stored) error {
			s := stray{subject: m.Subject, id: m.ID, event: m.Event}
			if row, ok := here[s.key()]; ok {
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

// places are the streams of rows, as they are now.
func (r *replayer) places(ctx context.Context, rows []letterRow) ([]letterPlace, error) {
	var places []letterPlace
	for _, row := range rows {
		if slices.ContainsFunc(places, func(p letterPlace) bool { return p.of(row) }) {
			continue
		}
		holding, err := r.connectionNamed(row.Connection).Holding(ctx, row.Stream)
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

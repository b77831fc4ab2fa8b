package rows

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// reservedPrefix marks the envelope's columns. A payload's own members of that
// prefix are not trusted: they are gone before the schema sees the message.
const reservedPrefix = "_flow_"

const (
	// nullsPerRow and nullsPerByte bound the cells that members missing from a
	// message may fill: nullsPerRow + nullsPerByte * its length. Without a
	// bound, a list of empty objects would cost a multiple of the schema each.
	nullsPerRow  = maxColumns
	nullsPerByte = 16
)

var (
	errNumberRange = errors.New("number beyond the range of a float")
	errTrailing    = errors.New("more data after the object")
)

// reader reads the tokens of one message after the other without copying them.
type reader struct {
	json    *jsontext.Decoder
	input   bytes.Buffer
	scratch []byte // holds the last text that had an escape
	nulls   int    // how many more missing members the message may have
}

func newReader() *reader {
	r := &reader{}
	r.json = jsontext.NewDecoder(&r.input)
	return r
}

func (r *reader) reset(message []byte) {
	r.input = *bytes.NewBuffer(message)
	r.json.Reset(&r.input)
	r.nulls = nullsPerRow + nullsPerByte*len(message)
}

// text gives the value of a JSON string. It is valid until the next call.
func (r *reader) text(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	// The decoder has accepted the string: unquoting it cannot fail.
	r.scratch, _ = jsontext.AppendUnquote(r.scratch[:0], quoted)
	return r.scratch
}

// end reports whether nothing but white space is left: nil, else what is wrong.
func (r *reader) end() error {
	_, err := r.json.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return errTrailing
	}
	return err
}

// skip passes over one value, holding it to the same rules as one that is kept.
func (r *reader) skip() error {
	depth := r.json.StackDepth()
	for {
		if r.json.PeekKind() == '0' {
			literal, err := r.json.ReadValue()
			if err != nil {
				return err
			}
			if !isFinite(literal) {
				return errNumberRange
			}
		} else if _, err := r.json.ReadToken(); err != nil {
			return err
		}
		if r.json.StackDepth() <= depth {
			return nil
		}
	}
}

// isObject reports whether message is one JSON object.
func (r *reader) isObject(message []byte) bool {
	r.reset(message)
	return r.json.PeekKind() == '{' && r.skip() == nil && r.end() == nil
}

// isReserved reports whether a top-level member belongs to the envelope.
func isReserved(name []byte) bool {
	return len(name) >= len(reservedPrefix) && string(name[:len(reservedPrefix)]) == reservedPrefix
}

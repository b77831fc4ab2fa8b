package planner

import (
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// defaultEpoch is `epoch 1000/1s/8MiB`: a batch of a thousand large messages
// would otherwise be too much for one pull.
var defaultEpoch = connectors.Bounds{MaxRecords: 1000, MaxWait: time.Second, MaxBytes: 8 << 20}

// maxRecords bounds what one epoch, which is held in memory, may ask for.
const maxRecords = 10_000_000

func epochOf(parsed *lang.Epoch) connectors.Bounds {
	b := defaultEpoch
	if parsed == nil {
		return b
	}
	if n, ok := parsed.Records(); ok {
		b.MaxRecords = int(min(n, maxRecords))
	}
	if d, ok := parsed.Wait(); ok {
		b.MaxWait = d
	}
	if n, ok := parsed.Bytes(); ok {
		b.MaxBytes = n
	}
	return b
}

var epochFields = connectors.Fields{
	{Key: "max_age", Type: connectors.Duration, Min: 1, Tuning: true, Doc: "ends the epoch this long after its first record"},
}

func (c *compiler) epochOptions(parsed *lang.Epoch, b *connectors.Bounds) {
	if parsed == nil {
		return
	}
	for _, q := range parsed.Bounds.Quantities {
		if q.Amount.Kind == lang.Count && q.Amount.Value > maxRecords {
			c.errorf(codeOptionRange, q.Span(), "an epoch has at most %s records, found `%s`", connectors.FormatCount(maxRecords), q.Text)
		}
	}
	at := places{file: c.source, span: parsed.Span()}
	b.MaxAge = c.settings(epochFields, parsed.Options, &at, "an epoch", nil).Duration("max_age")
}

package connectors

import "context"

// Kind is a sort of system that flows read from and write to, such as "nats".
type Kind struct {
	Name string
	// Connection, Source, Sink and DeadLetter say which settings each takes. One
	// table drives parsing, checking and the reference page.
	Connection, Source, Sink, DeadLetter Fields

	// SourceLacks says of options that a source does not have, and that people may look
	// for, what there is instead, by their keys.
	SourceLacks map[string]string

	// CheckConnection, CheckSources, CheckSink and CheckDeadLetter judge settings
	// without any I/O: what a single field cannot know. An *Error tells which setting
	// it is about. CheckConnection may be nil.
	CheckConnection func(Settings) error
	CheckSources    func([]SourceSpec) error // those of one flow on one connection
	CheckSink       func(SinkSpec) error
	CheckDeadLetter func(DeadLetterSpec) error
	// CompleteSink fills in the settings of a sink that follow from others. It may be nil.
	CompleteSink func(Settings)
	// CheckLoop refuses a sink that feeds the sources of its own flow, as far as
	// names alone tell. It is called where both are on one connection.
	CheckLoop func([]SourceSpec, SinkSpec) error

	// Writes says where a sink writes, as far as names alone tell, and Reads whether
	// a source reads of that, both being on one connection.
	Writes func(SinkSpec) Written
	Reads  func(SourceSpec, Written) bool

	// Select is what a source reads that writes nothing to read but settings; empty
	// if they do not tell. It may be nil.
	Select func(Settings) string

	// ResourceName is the default name of what a source reads; empty if the
	// source gives none and the flow must name it with `as`.
	ResourceName func(SourceSpec) string

	// DescribeSources and DescribeSink say, a line each, what will be used and
	// made at the other end.
	DescribeSources func(Identity, []SourceSpec, Bounds) []string
	DescribeSink    func(SinkSpec) []string
	// DescribeGuarantee says, a line each, what makes a sink's rows come exactly once,
	// or what that would need. It may be nil.
	DescribeGuarantee func(SinkSpec) []string
	// AtomicRows is how many messages, besides the marker, one step of a transaction can
	// bring to a place; 0 where there are no transactions.
	AtomicRows int
	// DescribeDeadLetter says where dead letters go.
	DescribeDeadLetter func(DeadLetterSpec) string

	// Rights says what the user of a connection with these settings has to be
	// allowed for all of its uses, as far as names tell.
	Rights func(Settings, []Use) Rights

	// Open connects. The context bounds the attempt.
	// report takes what the connection met and mended, for as long as it is open.
	Open func(ctx context.Context, name string, settings Settings, report func(Notice)) (Connection, error)
}

// Written is what the names of a sink tell of where it writes.
type Written struct {
	Place string // equal for two sinks that write into the same stream
	// Places are the same by resource, with its name filled in.
	Places []string
	Parts  []string // such as subjects, with wildcards for what rows fill in
}

// Notice is something that a person should know of: a disconnect, a consumer
// that was made again.
type Notice struct {
	Warning    bool
	Text       string
	Attributes []any // key and value in turn
}

// Connection is an open link to one system. Its methods are safe for concurrent use.
type Connection interface {
	// String describes the other end for a person, without secrets.
	String() string
	// OpenSource finds what the sources name. It changes nothing at the other
	// end; that begins with Source.Seek.
	OpenSource(ctx context.Context, flow Identity, specs []SourceSpec, options SourceOptions) (Source, error)
	// OpenSink checks the destination. It changes nothing at the other end;
	// that begins with Sink.Begin. The sink has a link of its own.
	OpenSink(ctx context.Context, flow Identity, spec SinkSpec) (Sink, error)
	// OpenDeadLetters checks where dead letters go, and makes it where it is
	// missing and may be made. It has a link of its own, as a sink has.
	OpenDeadLetters(ctx context.Context, flow Identity, spec DeadLetterSpec) (DeadLetters, error)
	// OpenLedger opens the flow's ledger, creating it where it is missing.
	OpenLedger(ctx context.Context, flow Identity) (Ledger, error)
	// FindLedger opens the flow's ledger where there is one; it is nil where there
	// is none. Nothing is made.
	FindLedger(ctx context.Context, flow Identity) (Ledger, error)
	// Archive looks at what the streams hold.
	Archive
	// Letters shows the dead letters.
	Letters
	// Remains lists what the flow left here. Marked are places where its markers may be,
	// besides those that its name tells.
	Remains(ctx context.Context, flow Identity, marked ...MarkedPlace) (Remains, error)
	// Remove removes what Remains listed, the ledger first: an owner that still runs
	// finds its records gone, and stops. What is gone already is no error.
	Remove(ctx context.Context, flow Identity, what Remains) error
	// Await returns once the link is up, or with the context's error.
	Await(ctx context.Context) error
	Close()
}

// Identity names a flow. Both parts are letters, digits, '_' and '-'.
type Identity struct {
	Namespace string
	Flow      string
}

// String is namespace/flow.
func (i Identity) String() string { return i.Namespace + "/" + i.Flow }

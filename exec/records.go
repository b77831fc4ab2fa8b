package exec

import (
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

// recordFormat is the newest form of ledger records that this program knows.
const recordFormat = 2

// RecordKind tells the records of the epoch chain apart.
type RecordKind string

// The kinds of records.
const (
	ClaimRecord       RecordKind = "claim"
	CertificateRecord RecordKind = "certificate"
	ResetRecord       RecordKind = "reset"
	RepairRecord      RecordKind = "repair"
	AcceptRecord      RecordKind = "accept"
	AdoptedRecord     RecordKind = "adopted"
	// MarkerRecord is not in the ledger: it is what a marker in a destination says.
	MarkerRecord RecordKind = "marker"
)

// Record is an entry of a flow's epoch chain: a claim, by which an owner takes the
// flow over, or keeps where its streams begin and its markers; an epoch's certificate;
// a reset, by which a person drops a schema; a repair, by which rows of an epoch were
// written again; an acceptance, by which a person takes the destinations as they are;
// or the end of a chain that another flow continues. Each carries the whole state, so
// the newest one is all that recovery needs.
type Record struct {
	Format      int        `json:"format"`
	Kind        RecordKind `json:"kind"`
	Flow        string     `json:"flow"`
	Fingerprint string     `json:"fingerprint"`
	Owner       Owner      `json:"owner"`
	Attempt     uint64     `json:"attempt"` // grows whenever somebody takes the flow over
	Written     time.Time  `json:"written"`
	// Previous is the version of the record before this one; 0 if it is the first.
	Previous uint64          `json:"previous,omitempty"`
	State    State           `json:"state"`
	Epoch    *CertifiedEpoch `json:"epoch,omitempty"`  // of a certificate
	Repair   *RepairedEpoch  `json:"repair,omitempty"` // of a repair
	// Successor is the flow, of the same namespace, that continues an adopted one.
	Successor string `json:"successor,omitempty"`
}

// RepairedEpoch is what a repair wrote again of an epoch.
type RepairedEpoch struct {
	Epoch    uint64               `json:"epoch"`
	Receipts []connectors.Receipt `json:"receipts"`
}

// State is what holds after the last certified epoch.
type State struct {
	// Records is the name of this chain, made with its first record: a chain that
	// begins anew after a loss has another one.
	Records   string                `json:"records"`
	Epoch     uint64                `json:"epoch"` // its number; 0 before the first one
	Positions []connectors.Position `json:"positions,omitempty"`
	// Schemas are the versions, in the ledger, of the resources' schemas.
	Schemas map[string]uint64 `json:"schemas,omitempty"`
	// Markers are the newest ones in the destinations that are written exactly once.
	Markers []NamedMarker `json:"markers,omitempty"`
}

// unmarked is the state with nothing said of its markers but where they are: what was
// lost in a destination, and is written again or given up, may have been the marker, and
// the next start writes another one. What is there still tells of an epoch.
func (s State) unmarked() State {
	s.Markers = slices.Clone(s.Markers)
	for i := range s.Markers {
		s.Markers[i].Created, s.Markers[i].Sequence = 0, 0
	}
	return s
}

// NamedMarker is a marker as a certificate names it.
type NamedMarker struct {
	Connection string `json:"connection"` // its name in the flow
	connectors.MarkedPlace
	Created  int64  `json:"created"`  // of the stream, Unix nanoseconds; 0 if it is not known
	Sequence uint64 `json:"sequence"` // 0 if it may be gone
}

// marker is the one that the state names at a place; the zero one if it names none.
func (s State) marker(connection string, at connectors.MarkedPlace) NamedMarker {
	for _, m := range s.Markers {
		if m.Connection == connection && m.MarkedPlace == at {
			return m
		}
	}
	return NamedMarker{}
}

// CertifiedEpoch is what a certificate proves of its epoch.
type CertifiedEpoch struct {
	Ranges   []connectors.Range   `json:"ranges"`
	Receipts []connectors.Receipt `json:"receipts"`
	Times    map[string]int64     `json:"times_ns"` // by phase
}

// Specification is what a flow was admitted with.
type Specification struct {
	Format      int       `json:"format"`
	Flow        string    `json:"flow"`
	Fingerprint string    `json:"fingerprint"`
	Admitted    time.Time `json:"admitted"`
	Owner       Owner     `json:"owner"`
	// Boundary bounds the epochs.
	Boundary connectors.Bounds `json:"boundary"`
	// Options are the resolved settings, a line each, without secrets.
	Options []string `json:"options"`
	// Streams are those that the flow reads. What matches later is not read.
	Streams []string `json:"streams,omitempty"`
	// Reads and Writes are equal for two flows of which one could be the other under a
	// new name.
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	// Adopted is the flow whose position this one began with.
	Adopted string `json:"adopted,omitempty"`
}

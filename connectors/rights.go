package connectors

// Use is what one flow does on one connection.
type Use struct {
	Flow    Identity
	Sources []SourceSpec // with the flow's ledger, if there are any
	Sinks   []SinkSpec
	Dead    *DeadLetterSpec // nil if it keeps no dead letters there
}

// Rights are what a user has to be allowed.
type Rights struct {
	Publish   []Right `json:"publish"`
	Subscribe []Right `json:"subscribe"`
}

// Right is one subject, or a filter of several.
type Right struct {
	Subject string `json:"subject"`
	Purpose string `json:"purpose"`
	// Only says where it is needed; empty if it is everywhere.
	Only string `json:"only,omitempty"`
}

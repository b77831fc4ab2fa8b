package exec

// Phase is where an epoch is. The run's time is divided among them without rest.
type Phase uint8

// The phases of an epoch, in order. A failure in any of them aborts it.
const (
	Reading Phase = iota
	Decoding
	Transforming
	Applying
	Committing
	Certifying
	Acknowledging
	Recovering // between epochs, after a failure and at the start
	Waiting    // for the next try
	Idling     // reading, while there is nothing to read
	Pausing    // until somebody resumes the run
	StandingBy // until the flow's owner is gone
	phases
)

var phaseNames = [phases]string{"reading", "decoding", "transforming", "applying", "committing", "certifying", "acknowledging", "recovering", "waiting", "idling", "pausing", "standing by"}

func (p Phase) String() string { return phaseNames[p] }

// Phases are all of them, in order.
func Phases() []Phase {
	all := make([]Phase, phases)
	for i := range all {
		all[i] = Phase(i)
	}
	return all
}

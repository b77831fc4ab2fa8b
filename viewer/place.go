package viewer

// screen is one of those that Tab goes through.
type screen int

const (
	runsScreen screen = iota
	runScreen
	epochScreen
	deadScreen
	planScreen
	logScreen
	screens
)

var screenNames = [screens]string{"runs", "run", "epoch", "dead", "plan", "log"}

func (s screen) String() string { return screenNames[s] }

// place is where a person is on a screen.
type place struct {
	key     string // of the chosen row
	top     int    // the first row or line that is shown; of the log, how far from its end
	filter  string
	sort    int // the number of a column, from 1; 0 is the order of the list itself
	reverse bool
	open    bool // what is chosen fills the screen
	detail  int  // the first line of it that is shown
}

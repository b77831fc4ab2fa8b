package planner

// Guarantee is what a run of the flow guarantees, in words.
func (f *Flow) Guarantee() string {
	guarantee, _ := delivery()
	return guarantee
}

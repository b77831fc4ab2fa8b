package planner

// Guarantee is what a run of the flow guarantees, in words.
func (f *Flow) Guarantee() string {
	guarantee, _ := delivery()
	return guarantee
}

// File is the name of the file that the flow stands in.
func (f *Flow) File() string { return f.file.Name }

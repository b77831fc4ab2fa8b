package planner

// File is the name of the file that the flow stands in.
func (f *Flow) File() string { return f.file.Name }

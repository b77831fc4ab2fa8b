// Package viewer draws runs on a terminal: the screens of flowtui and of
// flowc run --tui, and the keys, the mouse and the commands that move among them.
//
// It imports monitor for what a run looks like from outside, lang for making text fit
// for a terminal, connectors for numbers as text, the NATS client for Remote, and Bubble
// Tea with what it is built on. It imports no connector, and no screen asks a server: a
// Source brings the snapshots.
//
// What always holds: a frame is a pure function of the model and the size, drawn by
// Model.draw for any size; its text reaches the terminal through frame.text alone, which
// escapes whatever could drive it, as the Print of a Printing does beside the frames; a
// state is told by a glyph, a word and a color; what is old is shown as old.
package viewer

// Package planner turns parsed files into a Plan: names resolved, options typed
// and completed, routes drawn, everything checked that can be checked before a
// byte moves.
//
// It imports lang for the text, expression for what computes, connectors for the
// contracts and connectors/rows for schemas, never a connector itself: kinds are
// handed to Compile. It does no I/O and reads no secrets, so checking a file needs
// no server.
//
// What always holds: a Plan that Compile returns without errors can be opened as
// it stands, it is never changed afterwards, and every finding has its place in
// the file, also one that a connector makes at run time about a setting.
package planner

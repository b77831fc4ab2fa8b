// Package flowtest runs the tests of flows: text archives that hold messages and
// what must come of them. X.txtar and X.CASE.txtar test the X.flow beside them.
// An archive has the section in.jsonl or error, and may have the others:
//
//	in.jsonl                      messages, in the form of a seed file's lines
//	flow                          the program, if there is none beside the archive
//	params                        NAME=VALUE lines, the flow's parameters
//	env                           NAME=VALUE lines, what `env "NAME"` reads
//	streams                       configurations of streams, as JSON objects; their
//	                              member `consumers` lists those of consumers
//	out/STREAM/SUBJECT.jsonl      bodies in their order, a JSON object a line
//	headers/STREAM/SUBJECT.jsonl  headers of the same messages, those that matter
//	dead.jsonl                    dead letters, in the form of in.jsonl and in its order
//	error                         parts of the findings with which the flow fails
//
// Bodies are compared as JSON, with the members in any order and numbers digit for
// digit. Columns that begin with `_flow_`, and headers, matter where the expectation
// names them. A message that no section expects is a failure.
//
// It imports lang, planner, exec, the NATS connector and its embedded server. It
// prints nothing and knows no flags.
//
// What always holds: each test has a server of its own inside the process, and
// nothing else is connected to, whatever the flow's connections say; the process's
// environment has no influence; only Result.Update writes a file.
package flowtest

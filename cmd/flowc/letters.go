package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
)

// withLetters calls do with the dead letters of a flow that are named, or all, whole or
// without their messages.
func (a *app) withLetters(ctx context.Context, args []string, k known, whole bool, do func(*flowLeft, []connectors.Letter) error) error {
	f, err := a.find(ctx, args[0], k)
	if err != nil {
		return err
	}
	defer f.end()
	letters, err := f.letters(ctx, args[1:], whole)
	if err != nil {
		return err
	}
	if letters, err = chosen(letters, args[1:]); err != nil {
		return err
	}
	return do(f, letters)
}

// deadConn is the connection that the dead letters are on.
func (f *flowLeft) deadConn() connectors.Connection {
	if f.file != nil && f.file.Dead != nil {
		return f.conns[f.file.Dead.Connection.Name]
	}
	return f.conn
}

// eachLetter calls each for all of the flow's dead letters, which are on loan.
func (f *flowLeft) eachLetter(ctx context.Context, each func(*connectors.Letter) error) error {
	var spec *connectors.DeadLetterSpec
	var sources []connectors.SourceSpec
	if f.file != nil {
		if f.file.Dead == nil {
			return usagef("flow %s keeps no dead letters: its file has no `on error dead letter`", f.flow)
		}
		spec, sources = &f.file.Dead.Spec, f.file.SourceSpecs()
	}
	return remotely(f.deadConn().Letters(ctx, f.flow, spec, sources, each))
}

// letters are all of the flow's dead letters. The original messages of those that names
// leave out are not kept, and none unless they are to be whole.
func (f *flowLeft) letters(ctx context.Context, names []string, whole bool) ([]connectors.Letter, error) {
	var all []connectors.Letter
	err := f.eachLetter(ctx, func(l *connectors.Letter) error {
		kept := *l
		named := len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return isLetter(*l, name) })
		if !whole || !named {
			kept.Message = connectors.Message{}
		} else {
			kept.Message.Data, kept.Message.Headers = bytes.Clone(l.Message.Data), maps.Clone(l.Message.Headers)
		}
		all = append(all, kept)
		return nil
	})
	return all, err
}

// chosen are the letters that are named, each once and in their order; all if none is.
func chosen(letters []connectors.Letter, names []string) ([]connectors.Letter, error) {
	if len(names) == 0 {
		return letters, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		var matches []string
		for _, l := range letters {
			if isLetter(l, name) {
				matches = append(matches, letterID(l))
			}
		}
		switch len(matches) {
		case 0:
			return nil, &failure{status: statusFailed, err: fmt.Errorf("this flow has no dead letter %s; it has %s", name, plural(uint64(len(letters)), "letter"))}
		case 1:
			wanted[matches[0]] = true
		default:
			return nil, usagef("the letter %s is one of %s: name the stream too", name, strings.Join(matches, ", "))
		}
	}
	return slices.DeleteFunc(letters, func(l connectors.Letter) bool { return !wanted[letterID(l)] }), nil
}

func letterID(l connectors.Letter) string { return fmt.Sprintf("%s/%d", l.Stream, l.Sequence) }

// isLetter says whether a letter may be meant by a name.
func isLetter(l connectors.Letter, name string) bool {
	id := letterID(l)
	return id == name || strings.HasSuffix(id, "/"+name)
}

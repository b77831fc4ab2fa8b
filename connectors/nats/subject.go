package nats

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest names, in bytes. A subject stands on one line of the protocol with a reply
// subject and sizes, of which servers take 4096 bytes; a stream's name becomes the
// name of a directory.
const (
	maxSubject    = 1024
	maxStreamName = 255
)

// checkSubject says why a text is no subject; filter allows wildcards.
func checkSubject(subject string, filter bool) error {
	if subject == "" {
		return fmt.Errorf("the subject is empty")
	}
	if len(subject) > maxSubject {
		return fmt.Errorf("the subject has %d bytes, and at most %d are allowed", len(subject), maxSubject)
	}
	if !utf8.ValidString(subject) {
		return fmt.Errorf("the subject %q is not UTF-8", subject)
	}
	tokens := strings.Split(subject, ".")
	for i, token := range tokens {
		if token == "" {
			return fmt.Errorf("the subject %q has an empty token", subject)
		}
		if strings.ContainsFunc(token, blankOrControl) {
			return fmt.Errorf("the subject %q holds white space or a control character", subject)
		}
		wildcard := token == "*" || token == ">"
		switch {
		case wildcard && !filter:
			return fmt.Errorf("the subject %q has the wildcard %s, and a message is written to one subject", subject, token)
		case token == ">" && i != len(tokens)-1:
			return fmt.Errorf("in the subject %q the wildcard > is not the last token", subject)
		}
	}
	return nil
}

// blankOrControl is what a subject in a flow must not hold: white space breaks
// the protocol, and control characters are never meant.
func blankOrControl(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// checkStreamName says why a text is no stream name.
func checkStreamName(name string) error {
	if name == "" {
		return fmt.Errorf("the stream name is empty")
	}
	if len(name) > maxStreamName {
		return fmt.Errorf("the stream name has %d bytes, and at most %d are allowed", len(name), maxStreamName)
	}
	for _, r := range name {
		if !nameRune(r) {
			return fmt.Errorf("the stream name %q holds %q; letters, digits, - and _ are allowed", name, r)
		}
	}
	return nil
}

func nameRune(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// overlap says whether some subject matches both filters.
func overlap(a, b string) bool {
	for {
		ta, ra, moreA := strings.Cut(a, ".")
		tb, rb, moreB := strings.Cut(b, ".")
		if ta == ">" || tb == ">" {
			return true
		}
		if ta != tb && ta != "*" && tb != "*" {
			return false
		}
		if moreA != moreB {
			// The longer one can still match nothing more: > needs at least one token.
			return false
		}
		if !moreA {
			return true
		}
		a, b = ra, rb
	}
}

// covers says whether filter matches every subject that other matches.
func covers(filter, other string) bool {
	for {
		tf, rf, moreF := strings.Cut(filter, ".")
		to, ro, moreO := strings.Cut(other, ".")
		switch {
		case tf == ">":
			return true
		case to == ">", tf != to && tf != "*":
			return false
		case moreF != moreO:
			return false
		case !moreF:
			return true
		}
		filter, other = rf, ro
	}
}

// overlapAny finds the first of the filters that overlaps subject.
func overlapAny(filters []string, subject string) (string, bool) {
	for _, f := range filters {
		if overlap(f, subject) {
			return f, true
		}
	}
	return "", false
}

// coversAny finds the first of the filters that covers subject.
func coversAny(filters []string, subject string) (string, bool) {
	for _, f := range filters {
		if covers(f, subject) {
			return f, true
		}
	}
	return "", false
}

// resourceName is the subject with every run of characters that are no letter,
// digit or '_' turned into '_', trimmed.
func resourceName(subject string) string {
	var b strings.Builder
	for _, r := range subject {
		if r != '-' && nameRune(r) {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "_") {
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// wildcardMatch is what the n-th wildcard (from 1) of filter matched in subject:
// one token for '*', the rest for '>'.
func wildcardMatch(filter, subject string, n int) (string, bool) {
	for filter != "" && subject != "" {
		tf, rf, _ := strings.Cut(filter, ".")
		ts, rs, _ := strings.Cut(subject, ".")
		if tf == ">" {
			return subject, n == 1
		}
		if tf == "*" {
			if n--; n == 0 {
				return ts, true
			}
		}
		filter, subject = rf, rs
	}
	return "", false
}

// wildcards counts the wildcards of a filter.
func wildcards(filter string) int {
	n := 0
	for token := range strings.SplitSeq(filter, ".") {
		if token == "*" || token == ">" {
			n++
		}
	}
	return n
}

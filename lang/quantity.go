package lang

import (
	"math"
	"math/big"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// AmountKind says what a quantity counts.
type AmountKind int

// The kinds of amount.
const (
	Count    AmountKind = iota // a whole number without a unit
	Fraction                   // a number with a point and without a unit
	Duration
	Size
)

func (k AmountKind) String() string {
	return [...]string{"count", "fraction", "duration", "size"}[k]
}

// An Amount is what a quantity means, exactly.
type Amount struct {
	Kind  AmountKind
	Value int64 // the count, nanoseconds, or bytes; the whole part of a fraction
}

// Duration returns the amount as a time; it is one only if Kind is [Duration].
func (a Amount) Duration() time.Duration { return time.Duration(a.Value) }

// A Quantity is a number, perhaps with units: 1000, -1, 0.5, 1m30s, 16MiB.
type Quantity struct {
	Text   string // without white space
	Amount Amount

	span Span
}

// Span returns the place of the quantity, its sign included.
func (q *Quantity) Span() Span { return q.span }

// Parse takes a number with its sign; participle calls it.
func (q *Quantity) Parse(lex *lexer.PeekingLexer) error {
	first := *lex.Peek()
	number := first
	if isPunct(first, "-") {
		lex.Next()
		number = *lex.Peek()
	}
	if number.Type != tokenNumber {
		if number == first {
			return participle.NextMatch
		}
		return &participle.UnexpectedTokenError{Unexpected: number}
	}
	lex.Next()
	q.span = tokenSpan(first).Join(tokenSpan(number))
	q.Text = number.Value
	if number != first {
		q.Text = "-" + q.Text
	}
	if unit := *lex.Peek(); lacksUnit(number) && isWord(unit) && isUnit(unit.Value) {
		lex.Next()
		meant, _ := meantUnit(unit.Value)
		return spaceBeforeUnit(q.span.Join(tokenSpan(unit)), q.Text+meant)
	}
	amount, fault := parseAmount(q.Text)
	if fault != nil {
		return fault.at(q)
	}
	q.Amount = amount
	return nil
}

type unit struct {
	name string
	kind AmountKind
	size int64 // in nanoseconds or bytes
}

var units = []unit{
	{"ns", Duration, int64(time.Nanosecond)},
	{"us", Duration, int64(time.Microsecond)},
	{"ms", Duration, int64(time.Millisecond)},
	{"s", Duration, int64(time.Second)},
	{"m", Duration, int64(time.Minute)},
	{"h", Duration, int64(time.Hour)},
	{"d", Duration, 24 * int64(time.Hour)},
	{"B", Size, 1},
	{"kB", Size, 1e3},
	{"MB", Size, 1e6},
	{"KiB", Size, 1 << 10},
	{"MiB", Size, 1 << 20},
	{"GiB", Size, 1 << 30},
}

func unitNamed(name string) (unit, bool) {
	for _, u := range units {
		if u.name == name {
			return u, true
		}
	}
	return unit{}, false
}

// maxAmountDigits is more than any amount within int64 needs, and keeps the
// arithmetic on hostile input cheap.
const maxAmountDigits = 64

// parseAmount computes what a quantity's text means, or what is wrong with it.
func parseAmount(text string) (Amount, *amountFault) {
	unsigned := strings.TrimPrefix(text, "-")
	if len(unsigned) > maxAmountDigits {
		return Amount{}, tooLarge()
	}
	sum, kind := new(big.Rat), Count
	seen := map[string]bool{}
	for rest := unsigned; rest != ""; {
		number, name, tail := splitComponent(rest)
		if strings.HasSuffix(number, ".") || strings.HasPrefix(number, ".") || strings.Count(number, ".") > 1 {
			return Amount{}, badNumber(number)
		}
		u := unit{kind: Count, size: 1}
		if name != "" || rest != unsigned {
			var fault *amountFault
			if u, fault = componentUnit(number, name, kind, seen); fault != nil {
				return Amount{}, fault
			}
		}
		kind = u.kind
		value, ok := new(big.Rat).SetString(number)
		if !ok {
			return Amount{}, badNumber(number)
		}
		sum.Add(sum, value.Mul(value, new(big.Rat).SetInt64(u.size)))
		rest = tail
	}
	if unsigned != text {
		sum.Neg(sum)
	}
	return exactAmount(sum, kind, strings.Contains(unsigned, "."))
}

// componentUnit checks the unit of one part of a quantity, such as 30s in 1m30s.
func componentUnit(number, name string, kind AmountKind, seen map[string]bool) (unit, *amountFault) {
	u, ok := unitNamed(name)
	switch {
	case name == "":
		return u, unitMissing(number)
	case !ok:
		return u, unknownUnit(number, name)
	case seen[name]:
		return u, unitTwice(name)
	case len(seen) > 0 && u.kind != kind:
		return u, mixedUnits()
	}
	seen[name] = true
	return u, nil
}

func exactAmount(sum *big.Rat, kind AmountKind, point bool) (Amount, *amountFault) {
	if kind == Count && point {
		kind = Fraction
		sum.SetInt(new(big.Int).Quo(sum.Num(), sum.Denom()))
	}
	if !sum.IsInt() {
		return Amount{}, notWhole(kind)
	}
	if !sum.Num().IsInt64() || sum.Num().Int64() == math.MinInt64 {
		return Amount{}, tooLarge()
	}
	return Amount{kind, sum.Num().Int64()}, nil
}

// splitComponent cuts a number and the letters after it off the front.
func splitComponent(text string) (number, name, rest string) {
	digits := runLength(text, func(r rune) bool { return isDigit(r) || r == '.' })
	letters := runLength(text[digits:], func(r rune) bool { return !isDigit(r) && r != '.' })
	return text[:digits], text[digits : digits+letters], text[digits+letters:]
}

// lacksUnit tells a number that a unit could follow, if it were not for a space.
func lacksUnit(t lexer.Token) bool {
	return t.Type == tokenNumber && isDigit(rune(t.Value[len(t.Value)-1]))
}

// isUnit tells if a word is a unit, or was meant as one, as in 16 mib.
func isUnit(word string) bool {
	_, ok := meantUnit(word)
	return ok
}

var otherUnits = map[string]string{
	"k": "KiB", "K": "KiB", "M": "MiB", "G": "GiB",
	"sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"hr": "h", "hour": "h", "hours": "h", "day": "d", "days": "d",
	"µs": "us", "μs": "us",
}

// meantUnit returns the unit that a word stands for.
func meantUnit(word string) (string, bool) {
	if _, ok := unitNamed(word); ok {
		return word, true
	}
	if name, ok := otherUnits[word]; ok {
		return name, true
	}
	for _, u := range units {
		if strings.EqualFold(u.name, word) && strings.IndexFunc(word, unicode.IsLetter) == 0 {
			return u.name, true
		}
	}
	return "", false
}

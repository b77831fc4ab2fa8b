package expression

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the same zones on every machine
)

var (
	timeArg  = param{kind: kindTimestamp}
	timeZone = []param{timeArg, maybeTextArg}
)

var timeFunctions = []function{
	{Function{"now", "now()", "The time at which the batch is evaluated, the same for all its rows. A row that is read again gets another time: msg.time does not change.", `now() > date("2020-01-01")`, `true`},
		nil, compileNow},
	{Function{"date", "date(text, layout?, zone?)", "A timestamp from text: RFC 3339, a date, or as the layout (Go's: 2006-01-02 15:04:05) says. The zone is for text that names none; UTC by default.", `date("31.05.2024 10:00", "02.01.2006 15:04", "Europe/Zurich")`, `"2024-05-31T08:00:00Z"`},
		[]param{anyArg, maybeTextArg, maybeTextArg}, ofConstants(compileDate)},
	{Function{"format", "format(time, layout, zone?)", "The time as text, as the layout (Go's: 2006-01-02 15:04:05) says, in UTC or the zone.", `format(date("2024-05-31T08:00:00Z"), "2006-01-02 15h", "Europe/Zurich")`, `"2024-05-31 10h"`},
		[]param{timeArg, textArg, maybeTextArg}, compileFormat},
	{Function{"duration", "duration(text)", "A span of time: 1h30m, 250ms. Adds to times, and is the difference of two.", `date("2024-05-31") + duration("36h")`, `"2024-06-01T12:00:00Z"`},
		oneText, ofConstants(of1(kindDuration, parseDuration))},
	{Function{"seconds", "seconds(duration)", "The seconds of a duration, a float.", `seconds(duration("1m30s"))`, `90`},
		[]param{{kind: kindDuration}}, of1(kindFloat, pure(func(ns int64) float64 { return time.Duration(ns).Seconds() }))},
	{Function{"year", "year(time, zone?)", "The year in UTC or the zone.", `year(date("2024-05-31"))`, `2024`}, timeZone, part(time.Time.Year)},
	{Function{"month", "month(time, zone?)", "The month, 1 to 12.", `month(date("2024-05-31"))`, `5`}, timeZone, part(func(t time.Time) int { return int(t.Month()) })},
	{Function{"day", "day(time, zone?)", "The day of the month, from 1.", `day(date("2024-05-31"))`, `31`}, timeZone, part(time.Time.Day)},
	{Function{"hour", "hour(time, zone?)", "The hour, 0 to 23.", `hour(date("2024-05-31T08:00:00Z"), "Asia/Tokyo")`, `17`}, timeZone, part(time.Time.Hour)},
	{Function{"minute", "minute(time, zone?)", "The minute, 0 to 59.", `minute(date("2024-05-31T08:15:00Z"))`, `15`}, timeZone, part(time.Time.Minute)},
	{Function{"weekday", "weekday(time, zone?)", "The day of the week: Monday is 1, Sunday is 7.", `weekday(date("2024-05-31"))`, `5`}, timeZone, part(func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 })},
	{Function{"truncate", "truncate(time, duration)", "The time cut down to a multiple of the duration, in UTC.", `truncate(date("2024-05-31T08:17:00Z"), duration("15m"))`, `"2024-05-31T08:15:00Z"`},
		[]param{timeArg, {kind: kindDuration}}, of2(kindTimestamp, truncate)},
	{Function{"unix", "unix(time)", "Whole seconds since 1970.", `unix(date("2024-05-31"))`, `1717113600`},
		[]param{timeArg}, of1(kindInt, pure(func(ns int64) int64 { return floorDiv(ns, int64(time.Second)) }))},
	{Function{"unixMilli", "unixMilli(time)", "Whole milliseconds since 1970.", `unixMilli(date("2024-05-31"))`, `1717113600000`},
		[]param{timeArg}, of1(kindInt, pure(func(ns int64) int64 { return floorDiv(ns, int64(time.Millisecond)) }))},
	{Function{"fromUnix", "fromUnix(seconds)", "The time so many seconds after 1970.", `fromUnix(1717113600)`, `"2024-05-31T00:00:00Z"`},
		[]param{intArg}, of1(kindTimestamp, sinceEpoch(time.Second))},
	{Function{"fromUnixMilli", "fromUnixMilli(milliseconds)", "The time so many milliseconds after 1970.", `fromUnixMilli(1717113600500)`, `"2024-05-31T00:00:00.5Z"`},
		[]param{intArg}, of1(kindTimestamp, sinceEpoch(time.Millisecond))},
}

func compileNow(*compiler, call) operand {
	return nullableIf(false, computed(kindTimestamp, fn[int64](func(f *frame) (int64, bool) { return f.now, true })))
}

// zone finds the time zone of argument i, which must be known before any row.
func (c *compiler) zone(k call, i int) (*time.Location, bool) {
	if i >= len(k.args) || k.args[i].typ.kind == kindNull { // or not known yet
		return time.UTC, true
	}
	name, ok := k.args[i].constant.(string)
	if !ok {
		c.problem(k.nodes[i], Mistyped, "", "the time zone must be written as text or be a parameter")
		return nil, false
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		c.problem(k.nodes[i], BadValue, `zones are named like "Europe/Zurich" or "UTC"`, "unknown time zone %q", name)
		return nil, false
	}
	return location, true
}

// ofConstants computes a function of constants at once, so that a mistake in
// them is found before any row.
func ofConstants(compile func(*compiler, call) operand) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		o := compile(c, k)
		if o.typ.kind == kindNull || slices.ContainsFunc(k.args, func(a operand) bool { return a.constant == nil }) {
			return o
		}
		return c.evaluate(o)
	}
}

func compileDate(c *compiler, k call) operand {
	switch k.args[0].typ.kind {
	case kindTimestamp:
		return k.args[0]
	case kindDate:
		return c.midnight(k.args[0])
	case kindString, kindNull:
	default:
		return c.problem(k.nodes[0], Mistyped, c.conversionHelp(k.args[0], kindString), "`date` takes text or a date, found %s", k.args[0].typ)
	}
	location, ok := c.zone(k, 2)
	if !ok {
		return null()
	}
	layout := fn[string](func(*frame) (string, bool) { return "", true })
	if len(k.args) > 1 {
		layout = as[string](k.args[1])
	}
	eval := as[string](k.args[0])
	return computed(kindTimestamp, fn[int64](func(f *frame) (int64, bool) {
		s, ok := eval(f)
		l, layoutOK := layout(f)
		if !ok || !layoutOK {
			return 0, false
		}
		t, err := parseTime(s, l, location)
		if err != nil {
			f.fail(k.at, "%s", err)
			return 0, false
		}
		return t.UnixNano(), true
	}))
}

// commonLayouts are tried where none is given.
var commonLayouts = []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

func parseTime(s, layout string, location *time.Location) (time.Time, error) {
	layouts := commonLayouts
	if layout != "" {
		layouts = []string{layout}
	}
	var missing error
	for _, l := range layouts {
		t, err := time.ParseInLocation(l, s, location)
		switch {
		case err == nil && inNanoseconds(t):
			return t, nil
		case err == nil:
			return t, fmt.Errorf("time %.40q is out of range: the years 1678 to 2261", s)
		}
		missing = cmp.Or(missing, missingTime(err, s))
	}
	if missing != nil {
		return time.Time{}, missing
	}
	if layout != "" {
		return time.Time{}, fmt.Errorf("%.40q is not a time of the layout %.40q", s, layout)
	}
	return time.Time{}, fmt.Errorf("expected a time as in RFC 3339, found %.40q", s)
}

// missingTime says of text that has a layout's form that its day, or another
// part, does not exist.
func missingTime(err error, s string) error {
	parse, _ := errors.AsType[*time.ParseError](err)
	if parse == nil || !strings.HasSuffix(parse.Message, " out of range") {
		return nil
	}
	return fmt.Errorf("there is no such %s: %.40q", strings.TrimSuffix(strings.TrimPrefix(parse.Message, ": "), " out of range"), s)
}

func compileFormat(c *compiler, k call) operand {
	location, ok := c.zone(k, 2)
	if !ok {
		return null()
	}
	return of2(kindString, func(f *frame, at place, ns int64, layout string) (string, bool) {
		if !f.allocate(at, 8*len(layout)) {
			return "", false
		}
		return instant(ns).In(location).Format(layout), true
	})(c, k)
}

func parseDuration(f *frame, at place, s string) (int64, bool) {
	d, err := time.ParseDuration(s)
	if err != nil {
		f.fail(at, "expected a duration in h, m, s, ms, us or ns, such as 1h30m, found %.40q", s)
		return 0, false
	}
	return int64(d), true
}

func part(get func(time.Time) int) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		location, ok := c.zone(k, 1)
		if !ok {
			return null()
		}
		return of1(kindInt, pure(func(ns int64) int64 { return int64(get(instant(ns).In(location))) }))(c, k)
	}
}

func truncate(f *frame, at place, ns, unit int64) (int64, bool) {
	if unit <= 0 {
		f.fail(at, "cannot truncate to the duration %s", durationText(unit))
		return 0, false
	}
	cut, ok := multiplyInts(floorDiv(ns, unit), unit)
	if !ok {
		f.fail(at, "time is out of range: the years 1678 to 2261")
	}
	return cut, ok
}

func sinceEpoch(unit time.Duration) func(*frame, place, int64) (int64, bool) {
	return func(f *frame, at place, n int64) (int64, bool) {
		ns, ok := multiplyInts(n, int64(unit))
		if !ok {
			f.fail(at, "time is out of range: the years 1678 to 2261")
		}
		return ns, ok
	}
}

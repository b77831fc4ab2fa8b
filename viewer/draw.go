package viewer

// The least size of whole screens. Below it there is a summary of one run.
const (
	leastWidth  = 80
	leastHeight = 24
)

// draw is the frame of a size. It depends on nothing but the model and the size.
func (m *Model) draw(width, height int) (frame, tops) {
	c := &canvas{pen: m.pen(), w: width, h: height}
	switch {
	case width < 1 || height < 1:
		return c.frame, c.tops
	case width < leastWidth || height < leastHeight:
		m.drawSmall(c)
		return c.frame, c.tops
	case m.help:
		m.drawHelp(c)
	default:
		m.drawScreen(c)
	}
	c.fade = false
	if len(c.lines) > height-1 {
		c.lines = c.lines[:height-1]
	}
	for len(c.lines) < height-1 {
		c.put(nil)
	}
	m.drawFooter(c)
	return c.frame, c.tops
}

func (m *Model) drawScreen(c *canvas) {
	v := m.scene()
	if m.screen == runsScreen {
		m.drawRuns(c, v)
		return
	}
	r, ok := m.focused(v)
	if !ok {
		c.put(line{{" " + m.noRuns(), dim}})
		return
	}
	m.drawHead(c, v, r)
	switch m.screen {
	case runScreen:
		m.drawRun(c, r)
	case epochScreen:
		m.drawEpoch(c)
	case deadScreen:
		m.drawDead(c, r)
	case planScreen:
		m.drawPlan(c, r)
	default:
		m.drawLog(c, r)
	}
}

// listing is the list on the screen, if it has one.
func (m *Model) listing() (listing, bool) {
	switch m.screen {
	case runsScreen:
		return m.runsListing(m.width), true
	case runScreen:
		return m.resourceListing(m.width), true
	case epochScreen:
		return m.epochListing(m.width), true
	case deadScreen:
		return m.deadListing(m.width), true
	}
	return listing{}, false
}

// marks say at the edge of the first line that what is shown is not of this moment.
func (m *Model) marks(v scene) line {
	if m.frozen != nil {
		return line{{"FROZEN " + age(m.now.Sub(v.now)), alarm}, {"  ", plain}}
	}
	return nil
}

// drawFooter is the last line: what is asked or typed, what a key led to, or the
// screens and keys.
func (m *Model) drawFooter(c *canvas) {
	switch {
	case m.question != nil:
		c.put(line{{" " + m.question.text + " [y/N] ", alarm}})
		return
	case m.prompt != 0:
		c.put(line{{" " + string(m.prompt) + string(m.input) + "_", strong}})
		return
	case m.note.text != "":
		c.put(line{{" " + m.note.text, m.note.role}})
		return
	case m.trouble != "":
		c.put(line{{" " + m.trouble, alarm}})
		return
	}
	left := m.drawTabs(c)
	right := line{{"/ filter  s sort  ? help  q quit ", dim}}
	if filter := m.places[m.screen].filter; filter != "" {
		right = line{{"/" + c.cut(filter, 20) + " ", attention}}
	}
	c.put(c.spread(left, right, c.w))
}

func (m *Model) drawTabs(c *canvas) line {
	tabs := line{{" ", plain}}
	at := 1
	for s := range screens {
		text, r := string(rune('1'+s))+" "+s.String(), dim
		if s == m.screen {
			text, r = "["+text+"]", strong
		}
		c.zones = append(c.zones, zone{y: len(c.lines), from: at, to: at + len(text), kind: tabZone, number: int(s)})
		tabs = tabs.add(r, text).add(plain, " ")
		at += len(text) + 1
	}
	return tabs
}

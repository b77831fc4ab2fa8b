package viewer

import "strings"

func (m *Model) drawHelp(c *canvas) {
	c.put(line{{" flowtui", strong}, {"  keys", plain}})
	var lines []line
	for _, b := range bindings() {
		if b.show == "" {
			continue
		}
		lines = append(lines, line{{"  " + c.left(b.show, 13), strong}, {b.help, plain}})
	}
	lines = append(lines,
		line{{"  mouse        ", strong}, {"click chooses, and goes in; a title sorts; the wheel moves", plain}},
		line{{"  :word        ", strong}, {strings.Join(commands, " "), plain}},
		line{{"  control      ", strong}, {"pause, drain and replay need a run with --allow-control", plain}},
		line{{"  timeline     ", strong}, {timelineLegend, plain}},
	)
	c.scroll(lines, m.helpTop, c.free())
}

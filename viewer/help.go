package viewer

import "strings"

func (m *Model) drawHelp(c *canvas) {
	c.put(line{{" flowtui", strong}, {"  keys", plain}})
	for _, b := range bindings() {
		if b.show == "" {
			continue
		}
		c.put(line{{"  " + c.left(b.show, 13), strong}, {b.help, plain}})
	}
	c.put(line{{"  mouse        ", strong}, {"click chooses, and goes in; a title sorts; the wheel moves", plain}})
	c.put(line{{"  :word        ", strong}, {strings.Join(commands, " "), plain}})
	c.put(line{{"  control      ", strong}, {"pause, drain and replay need a run with --allow-control", plain}})
	c.put(line{{"  timeline     ", strong}, {timelineLegend, plain}})
}

package nats

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a client and a server, and can hold back or cut what
// passes through it.
type proxy struct {
	listener net.Listener
	target   string
	up, down gate // towards the server, and towards the client

	mu    sync.Mutex
	edit  func([]byte) []byte // of what goes towards the client; nil changes nothing
	conns []net.Conn
	done  bool
	work  sync.WaitGroup
}

// startProxy starts one for a server, and gives its URL.
func startProxy(t testing.TB, server string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: u.Host}
	p.up.open()
	p.down.open()
	p.work.Go(p.accept)
	t.Cleanup(p.close)
	return p, "nats://" + listener.Addr().String()
}

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = in.Close() // the client sees that the server is away
			continue
		}
		if !p.keep(in, out) {
			return
		}
		p.work.Go(func() { pass(out, in, &p.up, nil) })
		edit := p.editing()
		p.work.Go(func() { pass(in, out, &p.down, edit) })
	}
}

// edits changes what goes towards the clients that come from now on.
func (p *proxy) edits(edit func([]byte) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.edit = edit
}

func (p *proxy) editing() func([]byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.edit
}

// keep remembers the two ends of a link, unless the proxy is closed.
func (p *proxy) keep(ends ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		closeAll(ends)
		return false
	}
	p.conns = append(p.conns, ends...)
	return true
}

// pass copies through the gate until one end is closed, and then closes both.
func pass(to, from net.Conn, g *gate, edit func([]byte) []byte) {
	defer closeAll([]net.Conn{to, from})
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			g.wait()
			passed := buffer[:n]
			if edit != nil {
				passed = edit(passed)
			}
			if _, err := to.Write(passed); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut closes every link; what was held back is lost. New links are taken.
func (p *proxy) cut() {
	p.mu.Lock()
	conns := p.conns
	p.conns = nil
	p.mu.Unlock()
	closeAll(conns)
	p.up.open()
	p.down.open()
}

func (p *proxy) close() {
	p.mu.Lock()
	p.done = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.cut()
	p.work.Wait()
}

func closeAll[C io.Closer](all []C) {
	for _, c := range all {
		_ = c.Close() // closing twice is an error that tells nothing
	}
}

// gate lets through what passes a direction, or holds it back while shut.
type gate struct {
	mu  sync.Mutex
	way chan struct{} // closed while the gate is open
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.way == nil {
		g.way = make(chan struct{})
	}
	select {
	case <-g.way:
	default:
		close(g.way)
	}
}

// hold keeps back everything that has not passed yet.
func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.way:
		g.way = make(chan struct{})
	default:
	}
}

func (g *gate) wait() {
	g.mu.Lock()
	way := g.way
	g.mu.Unlock()
	<-way
}

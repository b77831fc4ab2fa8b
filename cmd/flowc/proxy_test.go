package main

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a client and a server, and can freeze: the links stay,
// and nothing passes any more.
type proxy struct {
	target   string
	listener net.Listener
	done     chan struct{} // closed when the test ends
	frozen   chan struct{} // closed by freeze
	held     chan struct{} // closed once the client sent something into the ice
	once     sync.Once
	work     sync.WaitGroup
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{
		target: target.Host, listener: listener,
		done: make(chan struct{}), frozen: make(chan struct{}), held: make(chan struct{}),
	}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		close(p.done)
		_ = p.listener.Close() // nothing is lost with it
		p.work.Wait()
	})
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *proxy) freeze() { close(p.frozen) }

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close() // the client sees that the server is away
			continue
		}
		p.work.Go(func() { p.pass(server, client, func() { p.once.Do(func() { close(p.held) }) }) })
		p.work.Go(func() { p.pass(client, server, func() {}) })
		p.work.Go(func() {
			<-p.done
			_, _ = client.Close(), server.Close() // one of them may be closed already
		})
	}
}

// pass copies until an end is closed, or until the test ends once it is frozen.
func (p *proxy) pass(to, from net.Conn, stuck func()) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		select {
		case <-p.frozen:
			stuck()
			<-p.done
			return
		default:
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

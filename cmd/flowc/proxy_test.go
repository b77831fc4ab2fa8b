package main

import (
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// proxy stands between a client and a server, and can freeze: the links stay,
// and nothing passes until it is thawed.
type proxy struct {
	target   string
	listener net.Listener
	done     chan struct{} // closed when the test ends
	held     chan struct{} // closed once the client sent something into the ice
	once     sync.Once
	work     sync.WaitGroup

	mu     sync.Mutex
	thawed chan struct{} // closed while everything passes
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
		done: make(chan struct{}), held: make(chan struct{}), thawed: make(chan struct{}),
	}
	close(p.thawed)
	p.work.Go(p.accept)
	t.Cleanup(func() {
		close(p.done)
		_ = p.listener.Close() // nothing is lost with it
		p.work.Wait()
	})
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thawed = make(chan struct{})
}

func (p *proxy) thaw() { close(p.passing()) }

func (p *proxy) passing() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.thawed
}

// holds waits until the client has sent something into the ice.
func (p *proxy) holds(t *testing.T) {
	t.Helper()
	select {
	case <-p.held:
	case <-time.After(bound):
		t.Fatal("nothing was sent to the destination")
	}
}

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

// pass copies until an end is closed; while it is frozen it waits, at most until the
// test ends.
func (p *proxy) pass(to, from net.Conn, stuck func()) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		passing := p.passing()
		select {
		case <-passing:
		default:
			stuck()
			select {
			case <-passing:
			case <-p.done:
				return
			}
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

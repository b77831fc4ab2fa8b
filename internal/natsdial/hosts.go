package natsdial

import (
	"net"
	"net/url"
	"strings"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// restricted makes the options' dialer ask before it dials: for the servers that were
// given, for those of a context, and for those that a cluster tells of. The client
// must not look names up before, or it would ask for addresses.
func restricted(s connectors.Settings) natsgo.Option {
	return func(o *natsgo.Options) error {
		inner := o.CustomDialer
		if inner == nil {
			inner = &net.Dialer{Timeout: s.Duration("connect_timeout")}
		}
		o.CustomDialer, o.SkipHostLookup = &restrictedDialer{inner: inner, settings: s}, true
		return nil
	}
}

type restrictedDialer struct {
	inner    natsgo.CustomDialer
	settings connectors.Settings
}

// Dial implements natsgo.CustomDialer.
func (d *restrictedDialer) Dial(network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if err := d.settings.AllowHost(host); err != nil {
		return nil, HostRefused(host, err)
	}
	return d.inner.Dial(network, address)
}

// HostRefused says that a host must not be dialed.
func HostRefused(host string, why error) *connectors.Error {
	return connectors.Errorf(connectors.Refused, "the host %q must not be dialed: %w", host, why).WithHelp("use a server that may be")
}

// Parse reads a server's address, of which the scheme may be left out.
func Parse(server string) (*url.URL, error) {
	if !strings.Contains(server, "://") {
		server = "nats://" + server
	}
	return url.Parse(server)
}

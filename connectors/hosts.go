package connectors

// allowHostKey is where settings carry which hosts may be dialed. No field has it.
const allowHostKey = "\x00allow host"

// RestrictHosts lets a connection dial only hosts for which allow returns nil. A host
// is a name or an address as it was given, or as the other end told it, without a port.
// Allow may be called from any goroutine.
func (s Settings) RestrictHosts(allow func(host string) error) {
	if allow != nil {
		s[allowHostKey] = allow
	}
}

// AllowHost says why a host must not be dialed; nil if it may be.
func (s Settings) AllowHost(host string) error {
	if allow, ok := s[allowHostKey].(func(string) error); ok {
		return allow(host)
	}
	return nil
}

// HostsRestricted says whether there are hosts that must not be dialed.
func (s Settings) HostsRestricted() bool { return s.Has(allowHostKey) }

package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
)

// authority signs certificates for 127.0.0.1, and for clients.
type authority struct {
	t    *testing.T
	file string // its own certificate
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	a.key = a.newKey()
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.file = a.write("CERTIFICATE", der)
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

func (a *authority) write(kind string, der []byte) string {
	a.t.Helper()
	path := filepath.Join(a.t.TempDir(), "pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// issue makes a certificate and its key, as files.
func (a *authority) issue() (cert, key string) {
	a.t.Helper()
	private := a.newKey()
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "peer"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write("CERTIFICATE", der), a.write("PRIVATE KEY", secret)
}

// serve starts a server with TLS that asks for certificates as the policy says.
func (a *authority) serve(policy tls.ClientAuthType, first bool) string {
	a.t.Helper()
	cert, key := a.issue()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	url := startServer(a.t, func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: policy, MinVersion: tls.VersionTLS12}
		o.TLSVerify = policy == tls.RequireAndVerifyClientCert
		o.TLSHandshakeFirst = first
		o.TLSTimeout = 2
	})
	return strings.Replace(url, "nats://", "tls://", 1)
}

func TestTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	cert, key := ours.issue()
	foreignCert, foreignKey := theirs.issue()
	plain, mutual, first := ours.serve(tls.NoClientCert, false), ours.serve(tls.RequireAndVerifyClientCert, false), ours.serve(tls.NoClientCert, true)
	trusting := func(more connectors.Settings) connectors.Settings {
		s := connectors.Settings{"tls_ca": ours.file, "connect_timeout": 2 * time.Second}
		for key, value := range more {
			s[key] = value
		}
		return s
	}
	for _, v := range []struct {
		name, url string
		given     connectors.Settings
		err       string
	}{
		{"trusted", plain, trusting(nil), ""},
		{"by the scheme of the server alone", strings.Replace(plain, "tls://", "nats://", 1), trusting(nil), ""},
		{"unknown authority", plain, nil, "certificate signed by unknown authority"},
		{"another authority", plain, connectors.Settings{"tls_ca": theirs.file}, "certificate signed by unknown authority"},
		{"another name", strings.Replace(plain, "127.0.0.1", "localhost", 1), trusting(nil), "localhost"},
		{"mutual", mutual, trusting(connectors.Settings{"tls_cert": cert, "tls_key": key}), ""},
		{"mutual without a certificate", mutual, trusting(nil), "tls"},
		{"mutual with a foreign one", mutual, trusting(connectors.Settings{"tls_cert": foreignCert, "tls_key": foreignKey}), "tls"},
		{"a certificate with another key", mutual, trusting(connectors.Settings{"tls_cert": cert, "tls_key": foreignKey}), "private key does not match"},
		{"first", first, trusting(connectors.Settings{"tls_first": true}), ""},
		{"not first where it has to be", first, trusting(connectors.Settings{"connect_timeout": 300 * time.Millisecond}), "connecting to the NATS server"},
		{"first where it must not be", plain, trusting(connectors.Settings{"tls_first": true}), "connecting to the NATS server"},
	} {
		t.Run(v.name, func(t *testing.T) {
			err := tryOpen(t, v.url, v.given)
			if v.err == "" {
				check(t, v.name, err, "")
				return
			}
			check(t, v.name, err, v.err)
			if class := connectors.ClassOf(err); class != connectors.Environment && class != connectors.Disconnected && class != connectors.Transient {
				t.Errorf("expected an error of the surroundings, found class %d: %v", class, err)
			}
		})
	}
}

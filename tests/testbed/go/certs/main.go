// Certs writes what a control plane on the loopback interface needs into a folder: an authority
// (ca.crt), a serving certificate of it (tls.crt, tls.key) and the key that signs tokens of service
// accounts (sa.key, sa.pub).
//
//	certs FOLDER [DNS-NAME ...]
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: certs FOLDER [DNS-NAME ...]")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "certs:", err)
		os.Exit(1)
	}
}

func write(folder string, names []string) error {
	authorityKey, err := key(folder, "")
	if err != nil {
		return err
	}
	authority := template(1, "testbed-ca")
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if err := certificate(folder, "ca.crt", authority, authority, authorityKey, authorityKey); err != nil {
		return err
	}
	servingKey, err := key(folder, "tls.key")
	if err != nil {
		return err
	}
	serving := template(2, "testbed")
	serving.DNSNames = append([]string{"localhost"}, names...)
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	serving.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if err := certificate(folder, "tls.crt", serving, authority, servingKey, authorityKey); err != nil {
		return err
	}
	signing, err := key(folder, "sa.key")
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&signing.PublicKey)
	if err != nil {
		return err
	}
	return save(folder, "sa.pub", "PUBLIC KEY", public)
}

func template(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(48 * time.Hour),
	}
}

// key makes a key and writes it, unless it has no name: the authority's is not kept.
func key(folder, name string) (*rsa.PrivateKey, error) {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil || name == "" {
		return made, err
	}
	return made, save(folder, name, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(made))
}

func certificate(folder, name string, of, by *x509.Certificate, its, signing *rsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, of, by, &its.PublicKey, signing)
	if err != nil {
		return err
	}
	return save(folder, name, "CERTIFICATE", der)
}

func save(folder, name, kind string, der []byte) error {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return os.WriteFile(filepath.Join(folder, name), text, 0o600)
}

package policy

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// File is what one file says.
type File struct {
	Path     string
	Policies []*Policy // in the order of the file
	Limits   []*Limit  // of retries to a cluster or host
	Ignored  int       // documents of other kinds

	seen map[Place]bool // policies that were read: an alias may lead there again
}

// Limit is what limits retries to one callee over all requests of a caller:
// Envoy's circuit breakers, Istio's DestinationRule.
type Limit struct {
	Place
	Host string
	Text string // "20 % of the active requests may be retries, at least 3"
}

// Read reads the settings of a file. What cannot be used is an error, one for
// each place, joined.
func Read(path string, open func(string) (io.ReadCloser, error)) (*File, error) {
	text, err := yamltext.Slurp(path, MaxFile, open)
	if err != nil {
		return nil, err
	}
	docs, err := documents(path, text)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path}
	var errs []error
	for _, doc := range docs {
		t := &tree{path: path}
		f.document(t, doc)
		errs = append(errs, t.errs...)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs[:min(len(errs), maxErrors)]...)
	}
	if len(f.Policies) == 0 && len(f.Limits) == 0 {
		return nil, &Error{Place: Place{Path: path}, Text: "no retry or timeout settings: want a gRPC service config (methodConfig), Envoy routes (virtual_hosts) or clusters, or an Istio VirtualService or DestinationRule"}
	}
	f.join(f.Limits)
	return f, nil
}

// document reads one document, whatever it is.
func (f *File) document(t *tree, n *yamltext.Node) {
	n = real(n)
	switch {
	case n == nil:
	case n.Kind == yamltext.Sequence: // choices of a service config, as DNS has them
		before := len(f.Policies)
		for _, x := range t.list(n) {
			if c := t.get(x, "service_config"); c != nil {
				f.document(t, c)
			}
		}
		if len(f.Policies) == before {
			f.envoy(t, n)
		}
	case strings.HasPrefix(t.text(t.get(n, "api_version")), "networking.istio.io/"):
		f.istio(t, n)
	case t.get(n, "api_version") != nil && t.get(n, "items") != nil: // kubectl get -o yaml
		for _, x := range t.list(t.get(n, "items")) {
			f.document(t, x)
		}
	case t.get(n, "api_version") != nil:
		f.Ignored++
	case t.get(n, "method_config") != nil || t.get(n, "retry_throttling") != nil:
		t.fold = true
		f.grpc(t, n)
		t.fold = false
	default:
		f.envoy(t, n)
	}
}

// add takes a policy, and reports whether there is room for more.
func (f *File) add(t *tree, p *Policy) bool {
	if f.seen == nil {
		f.seen = map[Place]bool{}
	}
	if f.seen[p.Place] {
		return true
	}
	f.seen[p.Place] = true
	if len(f.Policies) == maxFound {
		t.errs = append(t.errs, &Error{Place: p.Place, Text: fmt.Sprintf("more than %d routes or methods", maxFound)})
		t.visits = maxVisits + 1
		return false
	}
	f.Policies = append(f.Policies, p)
	return true
}

func (f *File) limit(l *Limit) {
	if l.Text != "" && len(f.Limits) < maxFound {
		f.Limits = append(f.Limits, l)
	}
}

// join puts limits beside the policies that call the same host.
func (f *File) join(limits []*Limit) {
	if len(limits) == 0 {
		return
	}
	for _, p := range f.Policies {
		for i := 0; i < len(limits) && p.Budget == ""; i++ {
			for _, h := range p.Hosts {
				if sameHost(h, limits[i].Host) {
					p.Budget = limits[i].Text
					break
				}
			}
		}
	}
}

// Join puts the limits of all files beside the policies of all.
func Join(files []*File) {
	var all []*Limit
	for _, f := range files {
		all = append(all, f.Limits...)
	}
	for _, f := range files {
		f.join(all)
	}
}

// sameHost reports whether two names of a host are the same: a short name is that
// of the service in its own namespace ("prices" is
// "prices.shop.svc.cluster.local").
func sameHost(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a != "" && (a == b || strings.HasPrefix(b, a+"."))
}

package policy

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// Hop is one call of a chain: what the caller has set for it.
type Hop struct {
	Policy *Policy
	Name   string // of the callee, or as the chain file says
	Calls  int    // calls of it for one request of the caller; at least 1
	Safe   *bool  // calling it twice does no harm: true or false where somebody says so; nil: not known
	Others int    // policies of the same file that were not taken
}

// Chain is the calls of one request, entry first.
type Chain struct {
	Hops     []Hop
	Deadline time.Duration // of whoever calls the entry; 0: not known
	Cost     time.Duration // that the last service works on one call; 0: not known
}

// MaxHops is how long a chain may be.
const MaxHops = 64

// FromFiles chains files in their order. A file is one hop; a file with several
// Istio VirtualServices is a hop for each. Of several policies for one hop the one
// that makes the most tries is taken, then the one that may take longest, then
// the first.
func FromFiles(files []*File) (*Chain, error) {
	c := &Chain{}
	for _, f := range files {
		var groups [][]*Policy
		index := map[string]int{}
		for _, p := range f.Policies {
			key := ""
			if p.System == "istio" {
				key = p.Names[len(p.Names)-1]
			}
			i, ok := index[key]
			if !ok {
				i = len(groups)
				index[key] = i
				groups = append(groups, nil)
			}
			groups[i] = append(groups[i], p)
		}
		for _, g := range groups {
			if len(c.Hops) == MaxHops {
				return nil, &Error{Place: Place{Path: f.Path}, Text: fmt.Sprintf("more than %d hops", MaxHops)}
			}
			p := worst(g)
			c.Hops = append(c.Hops, Hop{Policy: p, Name: p.callee(), Calls: 1, Others: len(g) - 1})
		}
	}
	if len(c.Hops) == 0 {
		return nil, errors.New("no file holds a route, a method or a VirtualService: what is left limits retries only")
	}
	return c, nil
}

func worst(list []*Policy) *Policy {
	best := list[0]
	for _, p := range list[1:] {
		if p.Tries > best.Tries || p.Tries == best.Tries && p.Timeout > best.Timeout {
			best = p
		}
	}
	return best
}

// callee names what is called.
func (p *Policy) callee() string {
	switch {
	case p.System != "grpc" && len(p.Hosts) > 0:
		return p.Hosts[0]
	case len(p.Names) > 0:
		return p.Names[0]
	}
	return p.System
}

// ReadChain reads a chain file (YAML or JSON):
//
//	deadline: 1s               # of whoever calls the entry
//	cost: 20ms                 # that the last service works on one call
//	hops:                      # entry first
//	  - name: cart             # the callee
//	    file: web/envoy.yaml   # relative to the chain file
//	    use: cart              # route, method, cluster or host; may be left out
//	    idempotent: false
//	    passes-deadline: true  # the callee is told the deadline, and keeps it
//	    calls: 2               # for one request of the caller
//	  - name: prices           # without a file: by hand
//	    tries: 3
//	    timeout: 1s
//	    per-try: 300ms
//	    backoff: 25ms
//	    max-backoff: 250ms
//	    hedge-delay: 50ms      # the tries are hedges
//
// Files that are named are read once each.
func ReadChain(path string, open func(string) (io.ReadCloser, error)) (*Chain, []*File, error) {
	text, err := yamltext.Slurp(path, MaxFile, open)
	if err != nil {
		return nil, nil, err
	}
	docs, err := documents(path, text)
	if err != nil {
		return nil, nil, err
	}
	if len(docs) != 1 {
		return nil, nil, &Error{Place: Place{Path: path}, Text: fmt.Sprintf("want one document, got %d", len(docs))}
	}
	t := &tree{path: path}
	r := &chainReader{tree: t, open: open, dir: filepath.Dir(path), files: map[string]*File{}}
	c := r.chain(docs[0])
	if len(t.errs) > 0 {
		return nil, nil, errors.Join(t.errs...)
	}
	return c, r.order, nil
}

type chainReader struct {
	*tree
	open  func(string) (io.ReadCloser, error)
	dir   string
	files map[string]*File
	order []*File
}

func (r *chainReader) chain(n *yamltext.Node) *Chain {
	r.only(n, "deadline", "cost", "hops")
	c := &Chain{}
	c.Deadline, _ = r.duration(r.get(n, "deadline"), "deadline", true)
	c.Cost, _ = r.duration(r.get(n, "cost"), "cost", true)
	hops := r.list(r.get(n, "hops"))
	if len(hops) == 0 || len(hops) > MaxHops {
		r.fail(n, "hops: want a list of 1 to %d, entry first", MaxHops)
		return c
	}
	nodes := make([]*yamltext.Node, 0, len(hops))
	for _, h := range hops {
		if path := r.text(r.get(h, "file")); path != "" {
			r.file(h, path)
		}
		nodes = append(nodes, h)
	}
	if len(r.errs) > 0 {
		return c
	}
	Join(r.order)
	for _, h := range nodes {
		c.Hops = append(c.Hops, r.hop(h))
	}
	return c
}

func (r *chainReader) file(at *yamltext.Node, path string) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	if r.files[path] != nil {
		return
	}
	f, err := Read(path, r.open)
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	r.files[path] = f
	r.order = append(r.order, f)
}

func (r *chainReader) hop(n *yamltext.Node) Hop {
	h := Hop{Name: r.text(r.get(n, "name")), Calls: r.whole(r.get(n, "calls"), "calls", 1, maxTries, 1)}
	if v := r.get(n, "idempotent"); v != nil {
		safe := r.flag(v, "idempotent")
		h.Safe = &safe
	}
	if path := r.text(r.get(n, "file")); path != "" {
		r.only(n, "name", "file", "use", "idempotent", "passes-deadline", "calls")
		r.use(n, path, &h)
	} else {
		r.only(n, "name", "tries", "timeout", "per-try", "backoff", "max-backoff", "hedge-delay", "idempotent", "passes-deadline", "calls")
		h.Policy = r.byHand(n)
	}
	if h.Policy == nil {
		return h
	}
	if v := r.get(n, "passes-deadline"); v != nil {
		p := *h.Policy
		p.PassesOn = r.flag(v, "passes-deadline")
		h.Policy = &p
	}
	if h.Name == "" {
		h.Name = h.Policy.callee()
	}
	return h
}

// use picks the policy of a file.
func (r *chainReader) use(n *yamltext.Node, path string, h *Hop) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	found := r.files[path].Policies
	name := r.get(n, "use")
	if want := r.text(name); want != "" {
		var names []string
		found = slices.DeleteFunc(slices.Clone(found), func(p *Policy) bool {
			names = append(names, p.Names...)
			return !slices.Contains(p.Names, want)
		})
		if len(found) == 0 {
			slices.Sort(names)
			names = slices.Compact(names)
			if len(names) > 12 {
				names = append(names[:12], "…")
			}
			r.fail(name, "use: %s has no %q: it has %s", path, want, strings.Join(names, ", "))
		}
	}
	if len(found) == 0 {
		if name == nil {
			r.fail(n, "file: %s holds no route, method or VirtualService", path)
		}
		return
	}
	h.Policy, h.Others = worst(found), len(found)-1
}

func (r *chainReader) byHand(n *yamltext.Node) *Policy {
	p := &Policy{Place: r.at(n), System: "chain", Names: []string{r.text(r.get(n, "name"))}, Timeout: Forever, PerTry: Forever,
		Tries: r.whole(r.get(n, "tries"), "tries", 1, maxTries, 1)}
	if p.Names[0] == "" {
		r.fail(n, "a hop without a file needs a name")
	}
	if d, ok := r.duration(r.get(n, "timeout"), "timeout", true); ok {
		p.Timeout = orForever(d)
	}
	if d, ok := r.duration(r.get(n, "per-try"), "per-try", true); ok && d > 0 {
		p.PerTry = d
	}
	p.Backoff = Backoff{Low: 1, High: 1}
	p.Backoff.Base, _ = r.duration(r.get(n, "backoff"), "backoff", true)
	p.Backoff.Max = p.Backoff.Base
	if d, ok := r.duration(r.get(n, "max-backoff"), "max-backoff", true); ok {
		p.Backoff.Max = max(d, p.Backoff.Base)
	}
	if d, ok := r.duration(r.get(n, "hedge-delay"), "hedge-delay", true); ok {
		p.Hedge, p.Delay = true, d
	}
	return p
}

// only reports keys that mean nothing.
func (r *chainReader) only(n *yamltext.Node, names ...string) {
	n = real(n)
	if n == nil || n.Kind != yamltext.Mapping {
		r.fail(n, "want a mapping with %s", strings.Join(names, ", "))
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		if k := n.Content[i]; !slices.Contains(names, k.Value) {
			r.fail(k, "%s means nothing here: want %s", yamltext.Shown(k), strings.Join(names, ", "))
		}
	}
}

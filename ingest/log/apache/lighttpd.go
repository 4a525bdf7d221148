package apache

import (
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Lighttpd is how lighttpd writes its access log, in Apache's language.
var Lighttpd = log.Dialect{
	Name: "lighttpd",
	Doc: `Access logs of lighttpd

lighttpd takes Apache's format strings, but stamps a line with the end of its
request. Nothing in a line tells the two apart, so that its logs are never
recognised: --format lighttpd reads them. Its default, combined, has no latency. To
have one:

    accesslog.format = "%h %V %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D"

and the same string as --log-format. %D is microseconds, %T whole seconds, cut; where
the start of a request was lost lighttpd writes -1, which is no latency.
`,
	Claims: func([]byte) log.Claim { return log.Foreign },
	Learn:  learnLighttpd,
}

// lighttpdDefault is what accesslog.format is unless it is set.
const lighttpdDefault = `%h %V %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`

func learnLighttpd(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	format := opt.LogFormat
	if format == "" {
		format = lighttpdDefault
	}
	f, err := log.ParseLogFormat(format, nil)
	if err != nil {
		return nil, err
	}
	k, err := f.Compile(ingest.Shape{Clock: "request line read", Stamp: ingest.StampEnd}, ingest.Server, opt)
	if err != nil {
		return nil, err
	}
	return func() log.Reader {
		return &lighttpd{known: k, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
	}, nil
}

// lighttpd reads the lines of one part.
type lighttpd struct {
	known log.Known
	log.Builder
	fields log.Fields
}

func (r *lighttpd) Read(line []byte, e *log.Entry) error {
	if !r.known.Pattern.Match(line, &r.fields) {
		return log.ErrFormat
	}
	if string(r.fields[log.Latency]) == "-1" {
		r.fields[log.Latency] = nil
	}
	if err := r.Build(&r.known.Layout, &r.fields, e); err != nil {
		return err
	}
	r.fields.Broken(e)
	return nil
}

package envoy

import (
	"bytes"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

func TestCorpus(t *testing.T) {
	for _, file := range []string{"envoy/crowdsec_gateway_cri.log", "envoy/docs_default_text.log", "envoy/engarde_istio_json.log"} {
		logtest.Check(t, format, logtest.Case{File: file, Unit: time.Millisecond, Stamp: ingest.StampStart})
	}
	logtest.Claims(t, format, "envoy/")
}

// The zone is that of the stamps; the line of a TCP connection is no request.
func TestCorpusMore(t *testing.T) {
	got := logtest.Read(t, format, logtest.Load(t, "envoy/engarde_istio_json.log"), ingest.Options{})
	if s := got.Samples[0]; !s.Stream || s.Op != "TCP" || s.Outcome != ingest.OK || s.Request != "" {
		t.Errorf("%+v", s)
	}
	got = logtest.Read(t, format, logtest.Load(t, "envoy/crowdsec_gateway_cri.log"), ingest.Options{})
	if s := got.Samples[0]; s.Op != "GET /assets/image.webp" || s.Request != "3bbc0252-2d5c-49fe-bd89-104e9b61770b" {
		t.Errorf("%+v", s)
	}
	if s := got.Samples[8]; s.Op != "GET /api/proxy" || s.Request != "multi-ip-clf-v4" {
		t.Errorf("%+v", s)
	}
	for _, s := range got.Log.Shapes {
		if s.Zone != ingest.ZoneStated || s.UnitFrom != ingest.UnitFromFormat {
			t.Errorf("%+v", s)
		}
	}
}

func TestClaimsLines(t *testing.T) {
	for line := range bytes.Lines(logtest.Load(t, "envoy/engarde_istio_json.log")) {
		if claims(bytes.TrimSpace(line)) != log.Own {
			t.Errorf("%s", line)
		}
	}
}

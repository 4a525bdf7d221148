package aws

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var alb, elb, cloudFront = ALB.Format(), ELB.Format(), CloudFront.Format()

func TestCorpus(t *testing.T) {
	logtest.Check(t, alb, logtest.Case{File: "aws/crowdsec_alb.log", Unit: time.Second, Stamp: ingest.StampEnd})
	logtest.Check(t, elb, logtest.Case{File: "aws/goaccess_952_classic_elb.log", Unit: time.Second, Stamp: ingest.StampStart})
	logtest.Check(t, cloudFront, logtest.Case{File: "aws/matomo_cloudfront.log", Unit: time.Second, Stamp: ingest.StampEnd})
	logtest.Check(t, cloudFront, logtest.Case{File: "aws/crowdsec_cloudfront_noheader.log", Unit: time.Second, Stamp: ingest.StampEnd})
}

func TestClaims(t *testing.T) {
	logtest.Lines(t, ALB, "aws/crowdsec_alb.log")
	logtest.Lines(t, ELB, "aws/goaccess_952_classic_elb.log")
	logtest.Lines(t, CloudFront, "aws/matomo_cloudfront.log", "aws/crowdsec_cloudfront_noheader.log")
	logtest.Claims(t, alb, "aws/crowdsec_alb.log")
	logtest.Claims(t, elb, "aws/goaccess_952_classic_elb.log")
	logtest.Claims(t, cloudFront, "aws/matomo_cloudfront.log", "aws/crowdsec_cloudfront_noheader.log")
}

func TestSplit(t *testing.T) {
	logtest.Split(t, alb, logtest.Load(t, "aws/crowdsec_alb.log"), ingest.Options{})
	logtest.Split(t, elb, logtest.Load(t, "aws/goaccess_952_classic_elb.log"), ingest.Options{})
	logtest.Split(t, cloudFront, logtest.Load(t, "aws/matomo_cloudfront.log"), ingest.Options{})
}

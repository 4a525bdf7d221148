package storm_test

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/storm"
)

func TestExamples(t *testing.T) { detecttest.Run(t, "testdata", storm.Detectors) }

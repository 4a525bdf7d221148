package amplification_test

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/amplification"
	"github.com/tailcheck/tailcheck/detect/detecttest"
)

func TestExamples(t *testing.T) { detecttest.Run(t, "testdata", amplification.Detectors) }

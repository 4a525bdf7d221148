package stall

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/detecttest"
)

func TestExamples(t *testing.T) { detecttest.Run(t, "testdata", Detectors) }

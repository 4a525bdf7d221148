package retries_test

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/retries"
)

func TestExamples(t *testing.T) { detecttest.Run(t, "testdata", retries.Detectors) }

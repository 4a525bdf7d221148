package omission_test

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/omission"
)

func TestExamples(t *testing.T) { detecttest.Run(t, "testdata", omission.Detectors) }

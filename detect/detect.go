// Package detect holds the vocabulary of detectors: what a detector is, what it
// finds, and the table of facts that several of them read.
package detect

import (
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Severity says how much a finding matters if it is true.
type Severity uint8

// Severities, from least to most.
const (
	Note Severity = iota
	Warning
	Error
)

func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// Confidence says how sure a finding is.
type Confidence uint8

// Confidences, from least to most.
const (
	Low Confidence = iota
	Medium
	High
)

func (c Confidence) String() string { return [...]string{"low", "medium", "high"}[c] }

// Detector is one check. Detectors are constant values, listed once in the
// suite. Judge, New or both are set: what each finds is found.
type Detector struct {
	Name     string // the rule's name: words with hyphens, kept for ever
	Doc      string // first line: title; then what it says, what it rests on, what it deliberately does not report
	Severity Severity
	Reads    ingest.Kinds

	// Judge returns what is found in the merged table: for detectors whose
	// question its rows can answer.
	Judge func(*Table) []Finding

	// New returns an empty tally: for detectors that must see records.
	New func() Tally
}

// Tally is what a detector remembers of the records it has seen: integers and
// sets whose merge does not depend on order.
type Tally interface {
	Add(ingest.Record) // must copy what it keeps
	Merge(Tally)       // the argument is of the same type, and is not used again
	Findings() []Finding
}

// Finding is one thing that a detector found.
type Finding struct {
	Detector   string   // filled in by the pipeline
	Severity   Severity // filled in by the pipeline
	Confidence Confidence
	Inputs     []int // numbers of the inputs that it is about
	Op         string
	Message    string // one sentence, without the detector's name
	Evidence   []Evidence
	Exemplars  []string // trace ids
	Remedy     string   // what to do
	Impact     time.Duration
	Numbers    any // struct with json tags; by rule as the contract says; nil: none
}

// Evidence is one number that a finding rests on.
type Evidence struct {
	What string // "max / p99"
	Got  string // "39"
	Want string // what it was compared with; empty: nothing
	At   ingest.Pos
	Has  bool // At is a place in the input
}

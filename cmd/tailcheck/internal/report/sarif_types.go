package report

// The parts of SARIF that are written, in the order of the standard's own
// examples. Names and shapes are those of the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  sarifRunBag       `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Full    sarifMessage `json:"fullDescription"`
		Default sarifDefault `json:"defaultConfiguration"`
		Help    sarifMessage `json:"help"`
		Bag     sarifRuleBag `json:"properties"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifRuleBag struct {
		Tags []string `json:"tags"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string          `json:"ruleId"`
		RuleIndex    int             `json:"ruleIndex"`
		Kind         string          `json:"kind"`
		Level        string          `json:"level"`
		Message      sarifMessage    `json:"message"`
		Locations    []sarifLocation `json:"locations,omitempty"`
		Related      []sarifLocation `json:"relatedLocations,omitempty"`
		Fingerprints sarifPrints     `json:"partialFingerprints"`
		Properties   sarifBag        `json:"properties"`
	}
	sarifPrints struct {
		Own string `json:"tailcheckIdentity/v1"`
		// the one that code scanning looks at: without it, it hashes the line
		Line string `json:"primaryLocationLineHash"`
	}
	sarifBag struct {
		Op         string   `json:"op,omitempty"`
		Confidence string   `json:"confidence,omitempty"`
		ImpactMs   *float64 `json:"impact_ms,omitempty"`
		Exemplars  []string `json:"exemplars,omitempty"`
		Remedy     string   `json:"remedy,omitempty"`
	}
	sarifRunBag struct {
		Verdict string `json:"verdict"`
		Why     string `json:"why"`
		LeftOut int    `json:"results_left_out"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine  int64 `json:"startLine,omitempty"`
		ByteOffset int64 `json:"byteOffset,omitempty"`
	}
)

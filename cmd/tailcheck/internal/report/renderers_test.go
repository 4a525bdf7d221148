package report

// machines are the renderers that golden files have besides text and JSON.
var machines = []struct {
	Renderer
	ext string
}{
	{Markdown, "md"},
	{GitHub, "github.txt"},
	{JUnit, "xml"},
	{SARIF, "sarif"},
	{CSV, "csv"},
}

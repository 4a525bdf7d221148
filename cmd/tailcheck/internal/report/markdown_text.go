package report

// MarkdownText makes text of an input, or of tailcheck, fit to stand anywhere in
// Markdown as GitHub reads it, as the text that it is.
func MarkdownText(s string) string { return mdStart(s) }

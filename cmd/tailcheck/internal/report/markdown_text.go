package report

// MarkdownText makes text of an input, or of tailcheck, fit to stand within a line
// of Markdown as GitHub reads it, as the text that it is.
func MarkdownText(s string) string { return md(s) }

// MarkdownStart is MarkdownText for what stands first in a line or an item.
func MarkdownStart(s string) string { return mdStart(s) }

package check

import (
	"slices"
	"strings"
)

// remedy puts the path of the input into a command that a detector advises. A
// detector does not know paths: its command, a line that begins with
// "$ tailcheck " (detect.Command), names the input FILE. Where a finding is about several inputs,
// or about one that has no path a shell could be given, FILE is left standing.
func (j *judge) remedy(text string, inputs []int) string {
	if !strings.Contains(text, "$ tailcheck ") || len(inputs) != 1 || inputs[0] < 0 || inputs[0] >= len(j.inputs) {
		return text
	}
	path, ok := shellPath(j.inputs[inputs[0]].path)
	if !ok {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, "$ tailcheck ") {
			continue
		}
		// the first one: words that inputs wrote come behind it
		words := strings.Split(l, " ")
		if k := slices.Index(words, "FILE"); k >= 0 {
			words[k] = path
			if x := j.inputs[inputs[0]]; x.asked != nil && x.asked.how.Format != "" && words[2] == "whatif" {
				words[k] += " --format " + x.asked.how.Format // as it was read here
			}
		}
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

// command is the first command of a remedy that can be run as it stands. Of a
// file with several reports it cannot: commands read one.
func (j *judge) command(remedy string, inputs []int) string {
	_, line, found := strings.Cut("\n"+remedy, "\n$ ")
	if !found {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	if !slices.Contains(strings.Split(line, " "), "--from") {
		return line
	}
	if len(inputs) != 1 || inputs[0] < 0 || inputs[0] >= len(j.inputs) {
		return ""
	}
	path := j.inputs[inputs[0]].path
	if _, ok := shellPath(path); !ok || slices.ContainsFunc(j.inputs, func(x *input) bool { return x.path == path && x.index != inputs[0] }) {
		return ""
	}
	return line
}

// shellPath writes a path as one word of a shell.
func shellPath(path string) (string, bool) {
	if path == "-" || path == "" {
		return "", false
	}
	if path[0] == '-' {
		path = "./" + path
	}
	plain := true
	for _, r := range path {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return "", false
		}
		plain = plain && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_./:=@%+,-", r))
	}
	if plain {
		return path, true
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'", true
}

package log

import "bytes"

// TomcatThread reports whether a field is the name of one of Tomcat's request
// threads, its %I: "http-nio-8080-exec-3". Other servers share the frame of its
// lines, but have no such field.
func TomcatThread(b []byte) bool {
	i := bytes.LastIndex(b, []byte("-exec-"))
	if i < 4 || i+6 == len(b) {
		return false
	}
	for _, c := range b[i+6:] {
		if !isDigit(c) {
			return false
		}
	}
	for _, begin := range [...]string{"http-", "https-", "ajp-", "catalina", "tomcat"} {
		if bytes.HasPrefix(b, []byte(begin)) {
			return true
		}
	}
	return false
}

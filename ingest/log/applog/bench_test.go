package applog

import (
	"testing"

	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const (
	slogLine    = `{"time":"2026-11-29T21:16:22.500000001Z","level":"INFO","msg":"request","method":"GET","path":"/a/17","status":200,"duration":9220019,"trace_id":"0af7651916cd43dd8448eb211c80319c","bytes":4711,"host":"shop"}`
	zapLine     = `{"level":"info","ts":1795986982.5,"caller":"shop/main.go:70","msg":"request","method":"GET","path":"/a/17","status":200,"duration":0.009220019,"trace_id":"0af7651916cd43dd8448eb211c80319c","bytes":4711}`
	pinoLine    = `{"level":30,"time":1795986982500,"pid":7,"hostname":"h","req":{"id":1,"method":"GET","url":"/a/17?x=1","headers":{"host":"x","user-agent":"curl/7"}},"res":{"statusCode":200},"responseTime":9,"msg":"request completed"}`
	slogText    = `time=2026-11-29T21:16:22.500Z level=INFO msg=request method=GET path=/a/17 status=200 duration=9.220019ms trace_id=0af7651916cd43dd8448eb211c80319c`
	stdLine     = `2026/11/29 21:16:22.500000 203.0.113.9:50390 GET /a/17 200 in 9.220019ms`
	zeroConsole = "\x1b[90m2026-11-29T21:16:22Z\x1b[0m \x1b[32mINF\x1b[0m \x1b[1mrequest\x1b[0m \x1b[36mduration=\x1b[0m9.220019 \x1b[36mmethod=\x1b[0mGET \x1b[36mpath=\x1b[0m/a/17 \x1b[36mstatus=\x1b[0m200"
)

func BenchmarkJSON(b *testing.B) {
	for name, line := range map[string]string{"slog": slogLine, "zap": zapLine, "pino": pinoLine} {
		b.Run(name, func(b *testing.B) { logtest.Bench(b, format, line) })
	}
}

func BenchmarkText(b *testing.B) {
	for name, line := range map[string]string{"logfmt": slogText, "stdlog": stdLine, "console": zeroConsole} {
		b.Run(name, func(b *testing.B) { logtest.Bench(b, format, line) })
	}
}

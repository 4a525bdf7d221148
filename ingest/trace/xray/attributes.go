package xray

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

func key(name string) trace.Key { return trace.Lookup([]byte(name)) }

// The names that OpenTelemetry has for what X-Ray says.
var (
	keyMethod    = key("http.request.method")
	keyURL       = key("url.full")
	keyStatus    = key("http.response.status_code")
	keySystem    = key("rpc.system.name")
	keyService   = key("rpc.service")
	keyOperation = key("rpc.method")
	keyRetries   = key("aws.retries")
	keyDatabase  = key("db.system.name")
	keyCommand   = key("db.operation.name")
	keyTable     = key("aws.dynamodb.table_names")
	keyQuery     = key("db.query.text")
	keyPeer      = key("peer.service")
	keyError     = key("error.type")
)

// attributes sets what a segment says about its call, its store and its failure.
func (d *reader) attributes(g *segment, kind ingest.Kind) {
	names := d.Names
	d.part.Reset(g.http)
	for side := range d.part.Members() {
		for member := range d.part.Members() {
			switch string(side) + "." + string(member) {
			case "request.method":
				d.part.Value().Set(names, keyMethod)
			case "request.url":
				d.part.Value().Set(names, keyURL)
			case "response.status":
				d.part.Value().Set(names, keyStatus)
			default:
				d.part.Skip()
			}
		}
	}
	// texts of one part must stay: the cursor is not reset before the span ends
	var aws, sql, cause trace.Cursor
	aws.Reset(g.aws)
	var operation, table []byte
	for member := range aws.Members() {
		switch string(member) {
		case "operation":
			operation = aws.Text()
		case "table_name":
			table = aws.Text()
		case "retries":
			aws.Value().Set(names, keyRetries)
		default:
			aws.Skip()
		}
	}
	if kind == ingest.ClientSpan {
		names.SetString(keyPeer, g.name)
		if len(operation) > 0 {
			names.SetString(keySystem, []byte("aws-api"))
			names.SetString(keyService, g.name)
			names.SetString(keyOperation, operation)
		}
		if bytes.EqualFold(g.name, []byte("dynamodb")) {
			names.SetString(keyDatabase, []byte("aws.dynamodb"))
			names.SetString(keyCommand, operation)
			names.SetString(keyTable, table)
		}
	}
	sql.Reset(g.sql)
	for member := range sql.Members() {
		switch string(member) {
		case "database_type":
			names.SetString(keyDatabase, bytes.ToLower(sql.Text()))
		case "sanitized_query":
			names.SetString(keyQuery, sql.Text())
		default:
			sql.Skip()
		}
	}
	if !g.failed {
		return
	}
	cause.Reset(g.cause)
	names.Status(2, d.reason(&cause))
}

// reason reads {"exceptions":[{"type":…,"message":…}]} and returns the message of
// the first, which is the outermost. A cause may also be the id of an exception
// that another subsegment holds.
func (d *reader) reason(c *trace.Cursor) (message []byte) {
	first := true
	for member := range c.Members() {
		if string(member) != "exceptions" {
			c.Skip()
			continue
		}
		for range c.Elements() {
			for inner := range c.Members() {
				switch {
				case first && string(inner) == "message":
					message = c.Text()
				case first && string(inner) == "type":
					c.Value().Set(d.Names, keyError)
				default:
					c.Skip()
				}
			}
			first = false
		}
	}
	return message
}

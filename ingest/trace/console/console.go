// Package console reads what the console exporters of OpenTelemetry for
// JavaScript and Python print, and recognises what that of Java prints, which
// says too little to be read.
//
// The shapes were read in ConsoleSpanExporter of opentelemetry-js
// (sdk-trace-base, 1.0 to 2.x) and Node.js' util.inspect, in
// ReadableSpan.to_json of opentelemetry-python, and in LoggingSpanExporter of
// opentelemetry-java.
package console

module github.com/tailcheck/tailcheck/bench

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/tailcheck/tailcheck v0.0.0
)

require github.com/klauspost/compress v1.20.4 // indirect

replace github.com/tailcheck/tailcheck => ../

package check

import (
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

type requestCounts struct {
	Counted                bool
	Requests, Errors, Lost int64
	Rate                   float64
}

func (j *judge) whole(in *detect.Input) requestCounts {
	r := &in.Run
	c := requestCounts{Counted: r.Counted, Requests: r.Requests, Errors: r.Errors, Lost: r.Lost, Rate: r.Achieved}
	if r.Elapsed > 0 && r.Counted { // rate counts answers, not attempts that failed at once
		c.Rate = min(c.Rate, float64(r.Requests-r.Lost)/r.Elapsed.Seconds()*1.01)
	}
	return c
}

func countsOf(in *detect.Input, row *detect.Row) requestCounts {
	var n int64
	for _, k := range row.Outcomes {
		n += k
	}
	c := requestCounts{Counted: n > 0, Requests: n, Errors: n - row.Outcomes[ingest.OK]}
	if in.Run.Elapsed > 0 {
		c.Rate = float64(n) / in.Run.Elapsed.Seconds()
	}
	return c
}

func (j *judge) counted(o sla.Objective, in *detect.Input, op string, c requestCounts) {
	doubt := j.doubt(in)
	if o.Metric == sla.Errors {
		doubt = j.contradicted(in)
		if in.Run.Survivors {
			doubt = "a request without an answer leaves no row here, so that there may have been more errors: the text report of the tool counts them"
		}
	}
	j.add(sla.Judge(o, sla.Case{Tool: in.Run.Tool, Doubt: doubt, Counted: c.Counted, Requests: c.Requests, Errors: c.Errors, Rate: c.Rate}), in.Index, op)
}

package log

import "testing"

// Format strings as they stand in configurations and docs: each is HAProxy's,
// Envoy's, or neither's.
func TestLanguages(t *testing.T) {
	for s, want := range map[string][2]bool{
		`%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r`: {true, false},
		`log-format "%r %s %b %T"`:                          {true, false},
		`%{+json}o %(client)ci %(took:int)Ta %(path)[path]`: {true, false},
		`%[src] %Ta`: {true, false},
		`[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%" %DURATION%`: {false, true},
		`%START_TIME(%s.%3f)% %RESPONSE_CODE%`:                                          {false, true},
		`%BYTES_SENT% %UPSTREAM_HOST% %REQ(:PATH):40%`:                                  {false, true},
		`%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D`:                     {},
		`%h %t "%r" %s %b **%T/%D**`:                                                    {},
		`%t "%r" %s %b %Ts`:                                                             {},
		`%h %l %u %t "%r" %s %b %{ms}T %I`:                                              {},
		`%h "%r" %s %{Varnish:time_firstbyte}x`:                                         {},
		`%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s %(D)s`:                             {},
		`%(addr) - %(user) [%(ltime)] "%(method) %(uri)" %(status) %(msecs)`:            {},
		`$remote_addr [$time_local] "$request" $status $request_time`:                   {},
		`100%`: {}, `%`: {}, `%[`: {}, `%REQ(`: {}, `%A%`: {}, ``: {},
	} {
		if got := [2]bool{IsHAProxyFormat(s), IsEnvoyFormat(s)}; got != want {
			t.Errorf("%s: %v, want %v", s, got, want)
		}
	}
}

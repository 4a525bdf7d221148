package nginx

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

// Files whose lines do not tell what they are need the format, and the unit where
// it is none of nginx's.
func TestCorpus(t *testing.T) {
	const combined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	given := func(format string, unit time.Duration) ingest.Options {
		return ingest.Options{LogFormat: format, Unit: unit, Zone: time.UTC}
	}
	for _, c := range []logtest.Case{
		{File: "recorded/a_nginx_closed_loop/combined.log"},
		{File: "recorded/a_nginx_closed_loop/rt.log", Unit: time.Second},
		{File: "recorded/a_nginx_closed_loop/tail2.log", Unit: time.Second},
		{File: "recorded/a_nginx_closed_loop/ltsv.log", Unit: time.Second},
		{File: "recorded/b_nginx_open_loop/json.log", Unit: time.Second},
		{File: "recorded/b_nginx_open_loop/upstreaminfo.log", Unit: time.Second},
		{File: "recorded/b_nginx_open_loop/rt.log", Unit: time.Second},
		{File: "recorded/c_nginx_retries/rt.log", Unit: time.Second},
		{File: "recorded/c_nginx_retries/json.log", Unit: time.Second},
		{File: "recorded/c_nginx_retries/upstreaminfo.log", Unit: time.Second},
		{File: "recorded/c_nginx_retries/netdata.log", Unit: time.Second},
		{File: "nginx/lnav_shop_combined.log"},
		{File: "nginx/lnav_bad_access.log"},
		{File: "nginx/netdata_lists.log", Unit: time.Second},
		{File: "nginx/goaccess_215_time_last.log", Unit: time.Second},
		{File: "nginx/alp_combined_access.log", Unit: time.Second},
		{File: "nginx/alp_json_access.log", Unit: time.Second},
		{File: "nginx/alp_ltsv_access.log", Unit: time.Second},
		{File: "nginx/netdata_full_unmatched.log", Unread: 24, Unit: time.Microsecond, Unclaimed: true, Options: given(
			`$host:$server_port $remote_addr - - [$time_local] "$request" $status $body_bytes_sent $request_length $request_time $upstream_response_time $scheme $ssl_protocol $ssl_cipher $custom_1 $custom_2 $custom_3`, time.Microsecond)},
		{File: "nginx/crowdsec_malformed.log"},
		{File: "nginx/crowdsec_npm_mixed.log", Unread: 2, NotStatus: true},
		{File: "docker/crowdsec_ingress_dockerjson.log", Unit: time.Second},
		{File: "kubernetes/crowdsec_ingress_cri.log", Unit: time.Second},
		{File: "kubernetes/beats_ingress_nginx_lists.log", Unit: time.Second},
		{File: "kong/kong_1323_nginx_us_field.log", Unit: time.Microsecond, Unclaimed: true, Options: given(
			combined+` $request_id $request_time X-Forwarded-For=$http_x_forwarded_for Host=$host`, time.Microsecond)},
		{File: "app/goaccess_2597_ms_word.log", Unit: time.Millisecond, Unclaimed: true, Options: given(
			`$time_iso8601 $request_method $status $request_time ms $memory kB $cpu% $request_uri`, time.Millisecond)},
		{File: "cdn/goaccess_1983_pipe_epoch_ms.log", Unclaimed: true, Options: given(
			`$upstream_cache_status|$status|$msec|$bytes_sent|$ttl|$remote_addr|$http_referer|$request_uri|$pop|$http_user_agent|$id|$country`, 0)},
	} {
		c.Stamp = ingest.StampEnd
		logtest.Check(t, Format, c)
	}
}

// No line of another server's files is nginx's.
func TestClaims(t *testing.T) {
	logtest.Lines(t, Dialect, "recorded/a_nginx_closed_loop/", "recorded/b_nginx_open_loop/", "recorded/c_nginx_retries/", "nginx/", "mixed/", "docker/crowdsec_ingress_dockerjson.log", "kubernetes/")
}

func TestDirt(t *testing.T) {
	logtest.Dirty(t, Dialect, front+`"-" "curl/7" 0.010`)
	logtest.Dirty(t, Dialect, front+`"-" "curl/7" rt=0.010 urt="0.004, 0.005" us="502, 200"`)
	logtest.Dirty(t, Dialect, `{"time_local":"29/Nov/2026:21:16:22 +0100","request":"GET /a/17 HTTP/1.1","status":"200","request_time":"0.010"}`)
}

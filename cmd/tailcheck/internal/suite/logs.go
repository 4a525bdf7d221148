package suite

import (
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/apache"
	"github.com/tailcheck/tailcheck/ingest/log/applog"
	"github.com/tailcheck/tailcheck/ingest/log/aws"
	"github.com/tailcheck/tailcheck/ingest/log/azure"
	"github.com/tailcheck/tailcheck/ingest/log/caddy"
	"github.com/tailcheck/tailcheck/ingest/log/cloudflare"
	"github.com/tailcheck/tailcheck/ingest/log/envoy"
	"github.com/tailcheck/tailcheck/ingest/log/gcp"
	"github.com/tailcheck/tailcheck/ingest/log/gotrace"
	"github.com/tailcheck/tailcheck/ingest/log/gunicorn"
	"github.com/tailcheck/tailcheck/ingest/log/haproxy"
	"github.com/tailcheck/tailcheck/ingest/log/heroku"
	"github.com/tailcheck/tailcheck/ingest/log/jvm"
	"github.com/tailcheck/tailcheck/ingest/log/kong"
	"github.com/tailcheck/tailcheck/ingest/log/lambda"
	"github.com/tailcheck/tailcheck/ingest/log/mysql"
	"github.com/tailcheck/tailcheck/ingest/log/nginx"
	"github.com/tailcheck/tailcheck/ingest/log/openstack"
	"github.com/tailcheck/tailcheck/ingest/log/pgbouncer"
	"github.com/tailcheck/tailcheck/ingest/log/postgres"
	"github.com/tailcheck/tailcheck/ingest/log/rails"
	"github.com/tailcheck/tailcheck/ingest/log/redis"
	"github.com/tailcheck/tailcheck/ingest/log/squid"
	"github.com/tailcheck/tailcheck/ingest/log/tomcat"
	"github.com/tailcheck/tailcheck/ingest/log/traefik"
	"github.com/tailcheck/tailcheck/ingest/log/uwsgi"
	"github.com/tailcheck/tailcheck/ingest/log/varnish"
	"github.com/tailcheck/tailcheck/ingest/log/w3c"
)

// Logs are the server logs that tailcheck reads: proxies and load balancers,
// application servers, databases, runtimes, and what tells no particular server.
var Logs = []log.Dialect{
	nginx.Dialect,
	apache.Dialect,
	apache.Lighttpd,
	haproxy.Dialect,
	envoy.Dialect,
	traefik.CLF,
	traefik.JSON,
	caddy.Dialect,
	kong.Dialect,
	varnish.Dialect,
	squid.Dialect,
	aws.ALB,
	aws.ELB,
	aws.CloudFront,
	gcp.Dialect,
	azure.Dialect,
	cloudflare.Dialect,
	heroku.Dialect,

	tomcat.Dialect,
	w3c.Dialect,
	uwsgi.Dialect,
	gunicorn.Dialect,
	openstack.Dialect,
	rails.Dialect,
	rails.Lograge,
	lambda.Dialect,

	postgres.Dialect,
	mysql.Dialect,
	redis.Dialect,
	pgbouncer.Dialect,

	jvm.Dialect,
	gotrace.Dialect,

	applog.Dialect,
}

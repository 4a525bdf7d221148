package redisslot

import "fmt"

// shardFields are the fields of a node in CLUSTER SHARDS (Redis 7.0: "CLUSTER
// SHARDS", its reply). In the plain form of redis-cli empty values leave no
// trace, so that fields are known by their names, not by their places.
var shardFields = map[string]bool{"id": true, "port": true, "tls-port": true, "ip": true, "endpoint": true, "hostname": true, "role": true, "replication-offset": true, "health": true}

// shards reads the values of CLUSTER SHARDS: for each shard "slots", pairs of
// first and last slot, "nodes", and the fields of each node. A shard whose
// primary is not among its nodes serves nothing.
func shards(w []value) (*Cluster, error) {
	var list []Primary
	for i := 0; i < len(w); {
		if w[i].number || w[i].text != "slots" {
			return nil, fmt.Errorf("shards: want \"slots\" at value %d, got %q", i+1, clip(w[i].text))
		}
		var p Primary
		for i++; i+1 < len(w) && w[i].number && w[i+1].number; i += 2 {
			r, err := parseRange(w[i].text + "-" + w[i+1].text)
			if err != nil {
				return nil, err
			}
			p.Ranges = append(p.Ranges, r)
		}
		if i == len(w) || w[i].text != "nodes" {
			return nil, fmt.Errorf("shards: want pairs of slots and \"nodes\" before value %d", i+1)
		}
		i++
		var node map[string]string
		found := false
		take := func() {
			if !found && node["role"] == "master" {
				p.ID, p.Name, found = node["id"], shardAddress(node), true
			}
		}
		for i < len(w) && w[i].text != "slots" {
			field := w[i].text
			if !shardFields[field] {
				i++
				continue
			}
			if field == "id" {
				take()
				node = nil
			}
			if node == nil {
				node = map[string]string{}
			}
			if i++; i < len(w) && !shardFields[w[i].text] && (w[i].text != "slots" || field == "hostname") {
				node[field] = w[i].text
				i++
			}
		}
		if take(); found {
			list = append(list, p)
		}
	}
	return New(list)
}

func shardAddress(node map[string]string) string {
	host := node["endpoint"]
	if host == "" || host == "?" || host == "(nil)" {
		host = node["ip"]
	}
	port := node["port"]
	if port == "" {
		port = node["tls-port"]
	}
	switch {
	case host == "":
		return ""
	case port == "":
		return host
	}
	return host + ":" + port
}

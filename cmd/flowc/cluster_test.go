package main

import (
	"encoding/json"
	"time"
)

// leader is the node that leads a stream.
func (w *world) leader(stream string) string {
	w.t.Helper()
	var name string
	eventually(w.t, "somebody leads "+stream, func() bool {
		s, err := w.js.Stream(w.t.Context(), stream)
		if err != nil || s.CachedInfo().Cluster == nil {
			return false
		}
		name = s.CachedInfo().Cluster.Leader
		return name != ""
	})
	return name
}

// stepDown makes a leader step down, by the end of the API's subject.
func (w *world) stepDown(request string) {
	w.t.Helper()
	var answer struct {
		Success bool `json:"success"`
		Error   any  `json:"error"`
	}
	eventually(w.t, request, func() bool {
		reply, err := w.nc.Request("$JS.API."+request, nil, 2*time.Second)
		return err == nil && json.Unmarshal(reply.Data, &answer) == nil && answer.Success
	})
}

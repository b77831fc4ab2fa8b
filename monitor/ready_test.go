package monitor

import (
	"strings"
	"testing"
	"time"
)

func TestUnready(t *testing.T) {
	now := time.Unix(10_000, 0)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, v := range map[string]struct {
		s    Snapshot
		want string // a part of the reason
	}{
		"fresh":           {Snapshot{State: Running, Connected: true, Run: Run{Started: ago(time.Second)}}, ""},
		"starting":        {Snapshot{State: Starting}, "starting"},
		"in turn":         {Snapshot{State: Standby}, ""},
		"paused":          {Snapshot{State: Paused}, ""},
		"draining":        {Snapshot{State: Draining}, "draining"},
		"ended":           {Snapshot{State: Ended}, ""},
		"failed":          {Snapshot{State: Failed, Reason: "no row"}, "failed: no row"},
		"waiting":         {Snapshot{State: Waiting, Connected: true, Reason: "no room"}, "waiting: no room"},
		"blocked":         {Snapshot{State: Blocked, Connected: true}, "blocked"},
		"disconnected":    {Snapshot{State: Running, Run: Run{Started: ago(time.Second)}}, "disconnected"},
		"never certified": {Snapshot{State: Running, Connected: true, Run: Run{Started: ago(time.Hour)}}, "nothing was certified for 1h0m0s"},
		"idle":            {Snapshot{State: Running, Connected: true, Run: Run{Started: ago(time.Hour)}, Rested: now}, ""},
		"certified":       {Snapshot{State: Running, Connected: true, Run: Run{Started: ago(time.Hour)}, LastCertified: ago(time.Second)}, ""},
		"stuck":           {Snapshot{State: Running, Connected: true, Run: Run{Started: ago(time.Hour)}, LastCertified: ago(2 * time.Minute), Rested: ago(3 * time.Minute)}, "nothing was certified for 2m0s"},
	} {
		v.s.Taken = now
		got := v.s.Unready(time.Minute)
		if (got == "") != (v.want == "") || !strings.Contains(got, v.want) {
			t.Errorf("%s: expected %q, found %q", name, v.want, got)
		}
	}
}

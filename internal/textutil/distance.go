package textutil

import (
	"fmt"
	"time"
)

// Distance says how far an instant is away (server 1.8).
func Distance(d time.Duration) string {
	seconds := int64(d.Abs() / time.Second)
	hours, minutes, rest := seconds/3600, seconds/60%60, seconds%60
	text := fmt.Sprintf("%ds", rest)
	switch {
	case hours > 0:
		text = fmt.Sprintf("%dh %dm %ds", hours, minutes, rest)
	case minutes > 0:
		text = fmt.Sprintf("%dm %ds", minutes, rest)
	}
	if d < 0 {
		return text + " ago"
	}
	return "in " + text
}

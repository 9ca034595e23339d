package remotecmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/textutil"
)

// tasksOutside returns what the tasks of an attempt have started outside and used, by their ids. It has nothing if the
// server does not know it.
func tasksOutside(ctx context.Context, server *client.Client, id api.ID) map[api.ID]*api.TaskOutside {
	list, err := server.ListOutside(ctx, id)
	if err != nil {
		return nil
	}
	all := make(map[api.ID]*api.TaskOutside, len(list.Items))
	for i := range list.Items {
		all[list.Items[i].Task.ID] = &list.Items[i]
	}
	return all
}

// linkLines are links for people.
func linkLines(o *api.TaskOutside) []string {
	if o == nil {
		return nil
	}
	lines := make([]string, len(o.Links))
	for i, link := range o.Links {
		lines[i] = link.Name + ": " + link.URL
	}
	return lines
}

// usageText says what the commands of a task have used; empty if nobody measured it.
func usageText(o *api.TaskOutside) string {
	if o == nil || o.Usage == nil {
		return ""
	}
	var parts []string
	if n := o.Usage.PeakMemoryBytes; n > 0 {
		parts = append(parts, "peak memory "+sizeText(n))
	}
	if ms := o.Usage.CPUTimeMs; ms > 0 {
		parts = append(parts, "processor time "+textutil.Duration(time.Duration(ms)*time.Millisecond))
	}
	if n := o.Usage.BytesWritten; n > 0 {
		parts = append(parts, "written "+sizeText(n))
	}
	return strings.Join(parts, ", ")
}

// peakText is the peak memory of a task; empty if nobody measured it.
func peakText(o *api.TaskOutside) string {
	if o == nil || o.Usage == nil || o.Usage.PeakMemoryBytes == 0 {
		return ""
	}
	return sizeText(o.Usage.PeakMemoryBytes)
}

// sizeText is a number of bytes with three digits or less in front of its unit.
func sizeText(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	size, unit := float64(bytes), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if size /= 1024; size < 999.5 {
			break
		}
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, unit)
	}
	return fmt.Sprintf("%.0f %s", size, unit)
}

package telemetry

import (
	"bytes"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// ContentType is the content type of what WriteTo writes: the text format of Prometheus, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteTo implements io.WriterTo: it writes all metrics in the order of All, the series of each in the
// order of their labels.
func (m *Metrics) WriteTo(w io.Writer) (int64, error) {
	var text bytes.Buffer
	if m != nil {
		for _, f := range m.families {
			f.write(&text)
		}
	}
	return text.WriteTo(w)
}

// ServeHTTP implements http.Handler.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", ContentType)
	_, _ = m.WriteTo(w) // the client has left
}

func (f *family) write(text *bytes.Buffer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.series) == 0 {
		return
	}
	text.WriteString("# HELP " + f.Name + " " + helpEscapes.Replace(f.Help) + "\n# TYPE " + f.Name + " " + f.Kind.String() + "\n")
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		s := f.series[key]
		if f.Kind != Histogram {
			f.line(text, "", s.labels, "", s.value)
			continue
		}
		sum := uint64(0)
		for i, bound := range f.Buckets {
			sum += s.buckets[i]
			f.line(text, "_bucket", s.labels, number(bound), float64(sum))
		}
		f.line(text, "_bucket", s.labels, "+Inf", float64(s.count))
		f.line(text, "_sum", s.labels, "", s.value)
		f.line(text, "_count", s.labels, "", float64(s.count))
	}
}

// line writes one value. bound is the bound of a bucket, or empty.
func (f *family) line(text *bytes.Buffer, suffix string, labels []string, bound string, value float64) {
	text.WriteString(f.Name + suffix)
	separator := "{"
	for i, label := range labels {
		text.WriteString(separator + f.Labels[i] + `="` + labelEscapes.Replace(label) + `"`)
		separator = ","
	}
	if bound != "" {
		text.WriteString(separator + `le="` + bound + `"`)
		separator = ","
	}
	if separator == "," {
		text.WriteByte('}')
	}
	text.WriteString(" " + number(value) + "\n")
}

func number(value float64) string {
	if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		return strconv.FormatInt(int64(value), 10)
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)            //nolint:gochecknoglobals // a table
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`) //nolint:gochecknoglobals // a table
)

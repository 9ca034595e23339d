package secret

import (
	"context"
	"log/slog"

	"github.com/trowel-project/trowel/internal/param"
)

// Handler returns a slog.Handler that masks messages and attributes before another one gets them.
func (m *Mask) Handler(next slog.Handler) slog.Handler { return &maskedHandler{mask: m, next: next} }

type maskedHandler struct {
	mask *Mask
	next slog.Handler
}

func (h *maskedHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *maskedHandler) Handle(ctx context.Context, record slog.Record) error {
	masked := slog.NewRecord(record.Time, record.Level, h.mask.Text(record.Message), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		masked.AddAttrs(h.mask.attr(attr))
		return true
	})
	return h.next.Handle(ctx, masked)
}

func (h *maskedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i, attr := range attrs {
		masked[i] = h.mask.attr(attr)
	}
	return &maskedHandler{mask: h.mask, next: h.next.WithAttrs(masked)}
}

func (h *maskedHandler) WithGroup(name string) slog.Handler {
	return &maskedHandler{mask: h.mask, next: h.next.WithGroup(name)}
}

// attr masks one attribute. Values other than texts, groups and Go values keep their kind.
func (m *Mask) attr(attr slog.Attr) slog.Attr {
	value := attr.Value.Resolve()
	switch value.Kind() {
	case slog.KindString:
		return slog.String(attr.Key, m.Text(value.String()))
	case slog.KindGroup:
		var group []slog.Attr
		for _, inner := range value.Group() {
			group = append(group, m.attr(inner))
		}
		return slog.Attr{Key: attr.Key, Value: slog.GroupValue(group...)}
	case slog.KindAny: // an error, say
		text := value.String()
		if masked := m.Text(text); masked != text {
			return slog.String(attr.Key, masked)
		}
	case slog.KindBool, slog.KindDuration, slog.KindFloat64, slog.KindInt64, slog.KindLogValuer, slog.KindTime, slog.KindUint64:
	}
	return attr
}

// Params returns parameters with masks in all texts, including keys. It is for the audit,
// error objects and answers. The given Map is not changed.
func (m *Mask) Params(params *param.Map) *param.Map {
	if params == nil {
		return nil
	}
	masked := param.Sized(params.Len())
	for key, value := range params.All() {
		masked.Set(m.Text(key), m.value(value))
	}
	return masked
}

func (m *Mask) value(value param.Value) param.Value {
	switch value := value.(type) {
	case string:
		return m.Text(value)
	case *param.Map:
		return m.Params(value)
	case param.List:
		masked := make(param.List, len(value))
		for i, item := range value {
			masked[i] = m.value(item)
		}
		return masked
	}
	return value
}

package localrun

import (
	"fmt"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// outputMask masks secrets in what the tasks of a local run print and report. The zero value, the default
// there, masks nothing: whoever reads the output has the secrets.
type outputMask struct{ mask *secret.Mask }

// keyMaskSecrets is the setting that says whether secrets are masked.
const keyMaskSecrets = "tasklog.mask_secrets"

// newOutputMask reads whether a local run masks secrets.
func newOutputMask(settings config.Settings) (outputMask, error) {
	wanted := false
	if text, found := settings.Get(keyMaskSecrets); found {
		var ok bool
		if wanted, ok = param.AsBool(text); !ok {
			return outputMask{}, fmt.Errorf("setting %s = %s: want true or false", keyMaskSecrets, text)
		}
	}
	if !wanted {
		return outputMask{}, nil
	}
	return outputMask{secret.NewMask(secret.OutputChars)}, nil
}

// finder returns a Finder whose secrets are masked from then on.
func (o outputMask) finder(next secret.Finder) secret.Finder {
	if o.mask == nil {
		return next
	}
	return o.mask.Finder(next)
}

// log returns a log whose output and lines are masked.
func (o outputMask) log(next agent.Log) agent.Log {
	if o.mask == nil {
		return next
	}
	next.Output, next.Logger = o.mask.WriteCloser(next.Output), slog.New(o.mask.Handler(next.Logger.Handler()))
	return next
}

// report masks what the end of a try shows of a failure.
func (o outputMask) report(r trowel.Report) trowel.Report {
	if o.mask == nil {
		return r
	}
	r.Error = o.mask.Params(r.Error)
	for i, line := range r.LastLines {
		r.LastLines[i] = o.mask.Text(line)
	}
	return r
}

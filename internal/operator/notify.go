package operator

import (
	"context"
	"time"
)

// runNotify sends its command as a notification (operators 2.11). Without a Notifier it
// succeeds.
func runNotify(ctx context.Context, r *Request) (Outcome, error) {
	message, err := r.Params.String("_command")
	if err != nil {
		return Outcome{}, err
	}
	if r.Notifier == nil {
		return Success()
	}
	r.Waiting()
	err = r.Notifier.Notify(ctx, Notification{At: time.Now(), Message: message, Lease: r.Lease})
	if err != nil {
		return Outcome{}, &Error{Kind: kindNotification, Message: "Sending notification failed", Err: err} // operators 2.11
	}
	return Success()
}

package operator

import "context"

// runFail fails with its command as the message, exactly as it is (operators 2.8).
func runFail(_ context.Context, r *Request) (Outcome, error) {
	message, err := r.Params.StringOr("_command", "")
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{}, &Failure{Message: message}
}

package operator_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

type fixture = operatortest.Fixture

// newFixture returns a task that runs an operator of this package.
func newFixture(tb testing.TB, own *param.Map) *fixture {
	tb.Helper()
	return operatortest.New(tb, operator.Core(operator.Options{}), own)
}

// newFixtureIn is newFixture for a project in a folder.
func newFixtureIn(tb testing.TB, project string, own *param.Map) *fixture {
	tb.Helper()
	f := newFixture(tb, own)
	f.Project = project
	return f
}

// message returns what a task sees as ${error.message}. It is empty without an error.
func message(err error) string { return operatortest.Message(err) }

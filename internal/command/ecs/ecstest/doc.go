// Package ecstest is Amazon ECS with CloudWatch Logs for tests: it runs the containers of tasks as processes of this machine, once
// for each client token, and fails as it is told to. Only tests import it.
package ecstest

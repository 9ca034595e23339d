package docker_test

import (
	"os"
	"testing"

	"github.com/trowel-project/trowel/internal/command/docker/dockertest"
)

func TestMain(m *testing.M) { os.Exit(dockertest.Main(m)) }

package view_test

import (
	"os"
	"testing"

	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

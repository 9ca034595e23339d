package ops

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/pool"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/usage"
)

// getPoolHistory answers with the use of a pool over a day.
func getPoolHistory(c *rest.Call) (any, error) {
	var uses []trowel.PoolUsage
	err := c.View(func(tx trowel.Tx) error {
		project, err := find.ProjectParam(c, tx)
		if err != nil {
			return err
		}
		pools, err := tx.ListPools(c.Ctx())
		if err != nil {
			return err
		}
		p := pool.Find(pools, projectID(project), c.PathText())
		if p == nil {
			return noPool(c, project)
		}
		uses, err = tx.ListPoolUsage(c.Ctx(), p.ID, c.Now.Add(-usage.Kept))
		return err
	})
	return api.PoolHistory{StepMS: trowel.UsageStep.Milliseconds(), Items: document.List(uses, useOf)}, err
}

func useOf(u trowel.PoolUsage) api.PoolUseStep {
	mean := func(sum int) float64 { return float64(sum) / float64(max(u.Samples, 1)) }
	shape := api.PoolUseStep{
		At: document.Instant(u.At), Samples: u.Samples, Used: mean(u.Used), MostUsed: u.MostUsed, Waiting: mean(u.Waiting), MostWaiting: u.MostWaiting,
	}
	if u.Used != 0 || u.Waiting != 0 {
		shape.Slots = &u.Slots
	}
	return shape
}

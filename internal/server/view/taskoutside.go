package view

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func getTasksOutside(c *rest.Call) (any, error) {
	var tries []trowel.Try
	err := c.View(func(tx trowel.Tx) error {
		s, err := find.Attempt(c, tx)
		if err == nil {
			tries, err = tx.ListTellingTries(c.Ctx(), s.Attempt.ID)
		}
		return err
	})
	var list api.TaskOutsideList
	for len(tries) > 0 {
		n := 1
		for n < len(tries) && tries[n].TaskID == tries[0].TaskID {
			n++
		}
		list.Items = append(list.Items, api.TaskOutside{
			Task: api.TaskRef{ID: api.ID(tries[0].TaskID), Name: tries[0].FullName}, Links: document.Links(tries[:n]), Usage: document.Usage(tries[:n]),
		})
		tries = tries[n:]
	}
	return list, err
}

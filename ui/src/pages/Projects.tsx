import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Project } from "../api/project";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { Filter } from "../base/Field";
import { useDigdagList } from "../base/list";
import { Empty } from "../base/Notice";
import { Page } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { useReread } from "../live/reread";
import type { ZoneChoice } from "../time/format";
import { Wall } from "../time/Wall";

const route = getRouteApi("/projects");

const columns = (zone: ZoneChoice): Column<Project>[] => [
  { key: "name", title: "Project", cell: (row) => row.name },
  { key: "revision", title: "Revision", width: 300, narrow: 120, cell: (row) => <span title={row.revision}>{row.revision}</span> },
  { key: "pushed", title: "Pushed", width: 230, cell: (row) => <Wall at={row.updatedAt} zone={zone} /> },
  { key: "created", title: "Created", width: 230, cell: (row) => <Wall at={row.createdAt} zone={zone} /> },
  { key: "id", title: "Id", width: 80, end: true, cell: (row) => row.id },
];

/** All projects. */
export function Projects() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/projects" });
  const { zone } = usePrefs();
  useTitle("Projects");
  useCrumbs([{ text: "Projects" }]);
  const list = useDigdagList<Project>("api/projects", "projects", { name_pattern: search.q, count: 100 });
  useReread("schedules", list.retry);
  const set = (changed: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <Page
      title="Projects"
      label="Projects"
      head={<Filter title="Part of the name" value={search.q} onValue={(q) => set({ q, at: undefined })} />}
    >
      <Table
        what="projects"
        list={list}
        columns={columns(zone)}
        rowKey={(row) => row.id}
        target={(row) => ({ to: "/projects/$id", params: { id: row.id } })}
        chosen={search.at}
        onChoose={(at) => set({ at })}
        empty={
          search.q ? (
            <Empty title="No project has this in its name">
              <Button onClick={() => set({ q: undefined })}>Clear filters</Button>
            </Empty>
          ) : (
            <Empty title="No projects yet" command="trowel push NAME">
              <p>A folder with workflows comes to the server with a push.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}

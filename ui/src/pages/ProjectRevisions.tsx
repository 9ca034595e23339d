import { useQuery } from "@tanstack/react-query";
import { get } from "../api/call";
import type { Revision } from "../api/project";
import { wholeList } from "../base/list";
import { usePrefs } from "../base/prefs";
import { type Column, GoLink, Table } from "../base/Table";
import { Wall } from "../time/Wall";
import type { ProjectPart } from "./ProjectPart";

/** Revisions, the newest first, each with what it has changed. */
export function ProjectRevisions({ project, path, search, choose }: ProjectPart) {
  const { zone } = usePrefs();
  const found = useQuery({
    queryKey: [`${path}/revisions`, project.revision],
    queryFn: ({ signal }) => get<{ readonly revisions: readonly Revision[] }>(`${path}/revisions`, {}, signal),
  });
  const rows = found.data?.revisions ?? [];
  const before = new Map(rows.map((row, i) => [row.revision, rows[i + 1]?.revision]));
  const diff = (from: string, to: string) => ({ to: "/projects/$id/diff", params: { id: project.id }, search: { from, to } });
  const columns: Column<Revision>[] = [
    { key: "name", title: "Revision", cell: (row) => row.revision },
    { key: "pushed", title: "Pushed", width: 230, narrow: 0, cell: (row) => <Wall at={row.createdAt} zone={zone} /> },
    { key: "info", title: "By", width: 200, cell: (row) => (Object.keys(row.userInfo).length > 0 ? JSON.stringify(row.userInfo) : "") },
    {
      key: "before",
      title: "Compare",
      width: 320,
      narrow: 150,
      cell: (row) => {
        const older = before.get(row.revision);
        return (
          <>
            {older && <GoLink target={diff(older, row.revision)}>with the one before</GoLink>}
            {older && row.revision !== project.revision && " · "}
            {row.revision !== project.revision && <GoLink target={diff(row.revision, project.revision)}>with the newest</GoLink>}
          </>
        );
      },
    },
  ];
  return (
    <Table
      what="revisions"
      list={wholeList(found.data?.revisions, found)}
      columns={columns}
      rowKey={(row) => row.revision}
      target={(row) => ({ to: "/projects/$id/files", params: { id: project.id }, search: { revision: row.revision } })}
      chosen={search.at}
      onChoose={(at) => choose({ at })}
      empty="There is no revision."
    />
  );
}

import { useQuery } from "@tanstack/react-query";
import { get } from "../api/call";
import { type Definition, type Finding, scheduleText } from "../api/project";
import { wholeList } from "../base/list";
import { Empty } from "../base/Notice";
import { Note } from "../base/Page";
import { type Column, GoLink, Table } from "../base/Table";
import css from "./Project.module.css";
import type { ProjectPart } from "./ProjectPart";

const columns: readonly Column<Definition>[] = [
  { key: "name", title: "Workflow", cell: (row) => row.name },
  {
    key: "schedule",
    title: "Schedule",
    width: 260,
    narrow: 140,
    cell: (row) => scheduleText(row.config) || <span className="quiet">none</span>,
  },
  { key: "zone", title: "Zone", width: 180, cell: (row) => row.timezone },
  { key: "id", title: "Definition", width: 90, end: true, cell: (row) => row.id },
];

/** The workflows of the newest revision, and what its push has found. */
export function ProjectWorkflows({ project, path, search, choose }: ProjectPart) {
  const found = useQuery({
    queryKey: [`${path}/workflows`, project.revision],
    queryFn: ({ signal }) => get<{ readonly workflows: readonly Definition[] }>(`${path}/workflows`, {}, signal),
  });
  const findings = useQuery({
    queryKey: [`${path}/findings`, project.revision],
    queryFn: ({ signal }) => get<{ readonly total: number; readonly findings: readonly Finding[] }>(`${path}/findings`, {}, signal),
  });
  const list = findings.data;
  return (
    <>
      {list && list.total > 0 && (
        <Note>
          <details>
            <summary>{list.total === 1 ? "1 warning" : `${list.total} warnings`} about this revision</summary>
            <ul className={css.findings}>
              {list.findings.map((finding) => (
                <li key={`${finding.file}:${finding.line}:${finding.column} ${finding.message}`}>
                  <GoLink
                    target={{
                      to: "/projects/$id/files",
                      params: { id: project.id },
                      search: {
                        revision: project.revision,
                        path: finding.file,
                        lines: finding.line > 0 ? String(finding.line) : undefined,
                      },
                    }}
                  >
                    {finding.file}:{finding.line}
                  </GoLink>{" "}
                  {finding.message}
                  {finding.hint && <span className="quiet"> ({finding.hint})</span>}
                </li>
              ))}
            </ul>
          </details>
        </Note>
      )}
      <Table
        what="workflows"
        list={wholeList(found.data?.workflows, found)}
        columns={columns}
        rowKey={(row) => row.name}
        target={(row) => ({ to: "/projects/$id/workflows/$name", params: { id: project.id, name: row.name } })}
        chosen={search.at}
        onChoose={(at) => choose({ at })}
        empty={
          <Empty title="This revision has no workflow">Workflows are the files at the top of the folder whose names end in `.dig`.</Empty>
        }
      />
    </>
  );
}

import { useMemo } from "react";
import { type ProjectFile, sizeText } from "../api/project";
import { Filter } from "../base/Field";
import { useList } from "../base/list";
import { Empty } from "../base/Notice";
import { type Column, Table } from "../base/Table";
import css from "./Project.module.css";
import type { ProjectPart } from "./ProjectPart";

const columns: readonly Column<ProjectFile>[] = [
  {
    key: "path",
    title: "File",
    cell: (row) => {
      const cut = row.path.lastIndexOf("/") + 1;
      return (
        <span title={row.path}>
          <span className={css.folder}>{row.path.slice(0, cut)}</span>
          {row.path.slice(cut)}
          {row.target !== null && <span className="quiet"> → {row.target}</span>}
        </span>
      );
    },
  },
  { key: "size", title: "Size", width: 90, narrow: 80, end: true, cell: (row) => (row.kind === "link" ? "link" : sizeText(row.size)) },
  { key: "kind", title: "Kind", width: 90, cell: (row) => (row.kind === "link" ? "" : row.binary ? "binary" : "text") },
  { key: "mode", title: "Mode", width: 70, cell: (row) => <code>{row.mode}</code> },
  { key: "md5", title: "MD5", width: 290, cell: (row) => row.md5 && <code>{row.md5}</code> },
];

/** The files of a revision, those of a folder in a row. */
export function ProjectFileList({ project, path, search, choose }: ProjectPart) {
  const revision = search.revision ?? project.revision;
  const list = useList<ProjectFile>(`${path}/files`, { revision, limit: 500 });
  const rows = useMemo(() => {
    const words = (search.q ?? "").toLowerCase();
    return words === "" ? list.rows : list.rows.filter((row) => row.path.toLowerCase().includes(words));
  }, [list.rows, search.q]);
  return (
    <>
      <div className={css.tools}>
        <Filter title="Part of the path" value={search.q} onValue={(q) => choose({ q, at: undefined })} />
        <span className="quiet">of revision {revision}</span>
      </div>
      <Table
        what="files"
        list={{ ...list, rows }}
        columns={columns}
        rowKey={(row) => row.path}
        target={(row) =>
          row.kind === "link" ? undefined : { to: "/projects/$id/files", params: { id: project.id }, search: { revision, path: row.path } }
        }
        chosen={search.at}
        onChoose={(at) => choose({ at })}
        empty={<Empty title={search.q ? "No file has this in its path" : "This revision has no files"} />}
      />
    </>
  );
}

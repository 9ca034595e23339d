import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { get, getText } from "../api/call";
import { CallError } from "../api/error";
import { type FileDiff, type Project, type RevisionDiff, readPlace, type ValueDiff, type WorkflowDiff } from "../api/project";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { useShortcuts } from "../base/keys";
import { wholeList } from "../base/list";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { Page, Part } from "../base/Page";
import { setPrefs, usePrefs } from "../base/prefs";
import { type Column, GoLink, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { CodeDiff } from "../code/Code";
import css from "./Project.module.css";

const route = getRouteApi("/projects/$id/diff");

const lines = (n: number | null, sign: string) => (n === null ? "" : n === 0 ? <span className="quiet">0</span> : `${sign}${n}`);

const columns: readonly Column<FileDiff>[] = [
  { key: "path", title: "File", cell: (row) => (row.oldPath ? `${row.oldPath} → ${row.path}` : row.path) },
  { key: "status", title: "What", width: 100, narrow: 80, cell: (row) => row.status },
  { key: "added", title: "Lines come", width: 100, narrow: 70, end: true, cell: (row) => (row.binary ? "binary" : lines(row.added, "+")) },
  { key: "removed", title: "Lines gone", width: 100, narrow: 70, end: true, cell: (row) => lines(row.removed, "−") },
];

/** A value before and after. */
function Value({ name, value }: { readonly name: string; readonly value: ValueDiff }) {
  return (
    <span className={css.key}>
      <code>{name}</code>: {value.from !== null && <code className={css.gone}>{value.from}</code>}{" "}
      {value.to !== null && <code className={css.come}>{value.to}</code>}
    </span>
  );
}

function Workflow({
  id,
  from,
  to,
  workflow,
}: {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly workflow: WorkflowDiff;
}) {
  const gone = workflow.taskCount - workflow.tasks.length;
  return (
    <div className={css.workflow}>
      <h3>
        {workflow.name} <span className="quiet">{workflow.status}</span>
      </h3>
      {workflow.schedule && (
        <div className={css.task}>
          <span>schedule</span>
          <Value name="schedule" value={workflow.schedule} />
        </div>
      )}
      {workflow.timezone && (
        <div className={css.task}>
          <span>zone</span>
          <Value name="timezone" value={workflow.timezone} />
        </div>
      )}
      {workflow.tasks.map((task) => {
        const place = task.place === null ? undefined : readPlace(task.place);
        return (
          <div key={`${task.task} ${task.status}`} className={css.task}>
            <span>{task.status}</span>
            <div>
              {task.task}{" "}
              {place && (
                <GoLink
                  target={{
                    to: "/projects/$id/files",
                    params: { id },
                    search: { revision: task.status === "removed" ? from : to, path: place.file, lines: place.line },
                  }}
                >
                  {place.file}:{place.line}
                </GoLink>
              )}
              {task.keys.map((key) => (
                <Value key={key.key} name={key.key} value={key} />
              ))}
            </div>
          </div>
        );
      })}
      {gone > 0 && <p className={css.task}>and {gone} more tasks</p>}
    </div>
  );
}

/** How two revisions differ: what it means for workflows and tasks, then the files. */
export function ProjectDiff() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/projects/$id/diff" });
  const path = `api/projects/${encodeURIComponent(id)}`;
  const project = useQuery({ queryKey: [path], queryFn: ({ signal }) => get<Project>(path, {}, signal) });
  const found = useQuery({
    queryKey: [`${path}/diff`, search.from, search.to],
    queryFn: ({ signal }) => get<RevisionDiff>(`${path}/diff`, { from: search.from, to: search.to }, signal),
    enabled: search.from !== undefined,
  });
  const diff = found.data;
  const name = project.data?.name ?? `Project ${id}`;
  useTitle(diff && `${diff.from} to ${diff.to}`, name);
  useCrumbs([{ text: "Projects", to: "/projects" }, { text: name, to: `/projects/${id}` }, { text: "Difference" }]);
  if (isGone(found.error)) return <Gone what="difference of these revisions" error={found.error} />;
  if (search.from === undefined)
    return <Gone what="difference" error={new CallError("", 404, { message: "the address names no revision: from=" })} />;
  if (found.error) return <Failure what="compare the revisions" error={found.error} retry={() => void found.refetch()} />;
  if (!diff) return <Loading what="the difference" rows={12} />;
  const file = diff.files.find((one) => one.path === search.path);
  return (
    <Page
      flow
      title="Difference"
      label="Difference"
      head={
        <span>
          <b>{diff.from}</b> <span className="quiet">to</span> <b>{diff.to}</b>
        </span>
      }
      actions={<Button onClick={() => void navigate({ search: { from: diff.to, to: diff.from }, replace: true })}>Turn round</Button>}
    >
      <Part title="What it means">
        {diff.workflows.length === 0 ? (
          <p className={css.words}>No workflow has changed.</p>
        ) : (
          diff.workflows.map((workflow) => <Workflow key={workflow.name} id={id} from={diff.from} to={diff.to} workflow={workflow} />)
        )}
      </Part>
      <Part
        title="Files"
        beside={
          <span className="quiet">
            {diff.fileCount === 1 ? "1 differs" : `${diff.fileCount} differ`}
            {diff.fileCount > diff.files.length && `, the first ${diff.files.length} are here`}
          </span>
        }
      >
        <Table
          flow
          what="files"
          list={wholeList(diff.files, found)}
          columns={columns}
          rowKey={(row) => row.path}
          target={(row) => ({ to: "/projects/$id/diff", params: { id }, search: { ...search, path: row.path } })}
          chosen={search.path}
          empty="All files are the same."
        />
      </Part>
      {file && (
        <FileChange
          key={file.path}
          project={path}
          file={file}
          from={diff.from}
          to={diff.to}
          side={search.side === "1"}
          onSide={(side) =>
            void navigate({ search: (before) => ({ ...before, side: side ? "1" : undefined }), replace: true, resetScroll: false })
          }
        />
      )}
    </Page>
  );
}

interface FileChangeProps {
  readonly project: string;
  readonly file: FileDiff;
  readonly from: string;
  readonly to: string;
  readonly side: boolean;
  readonly onSide: (side: boolean) => void;
}

/** How the text of one file has changed. */
function FileChange({ project, file, from, to, side, onSide }: FileChangeProps) {
  const { wrap } = usePrefs();
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef<{ next: (step: 1 | -1) => void }>(undefined);
  const read = async (revision: string, path: string, signal: AbortSignal) =>
    (await getText(`${project}/files/content`, { revision, path }, signal)).text;
  const texts = useQuery({
    queryKey: [`${project}/files/both`, from, to, file.path],
    queryFn: async ({ signal }) =>
      Promise.all([
        file.status === "added" ? "" : read(from, file.oldPath ?? file.path, signal),
        file.status === "removed" ? "" : read(to, file.path, signal),
      ]),
    enabled: !file.binary,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useShortcuts("Difference of a file", [
    { keys: "n", about: "next change", run: () => shown.current?.next(1) },
    { keys: "Shift+N", about: "change before", run: () => shown.current?.next(-1) },
  ]);
  return (
    <Part
      title={file.path}
      beside={
        <>
          <Choice
            bare
            title="Columns"
            value={side ? "side" : "one"}
            choices={{ one: "One column", side: "Side by side" }}
            onChange={(wanted) => onSide(wanted === "side")}
          />
          <Button look="bare" aria-pressed={wrap} onClick={() => setPrefs({ wrap: !wrap })}>
            Wrap
          </Button>
          <Button look="bare" onClick={() => shown.current?.next(1)}>
            Next change
          </Button>
        </>
      }
    >
      <div className={css.diff} ref={box}>
        {file.binary ? (
          <p className={css.words}>This file is no text.</p>
        ) : texts.error ? (
          <Failure compact what={`read ${file.path}`} error={texts.error} retry={() => void texts.refetch()} />
        ) : texts.data ? (
          <CodeDiff
            path={file.path}
            before={texts.data[0]}
            after={texts.data[1]}
            side={side}
            wrap={wrap}
            onShown={(made) => {
              shown.current = made;
              const part = box.current?.closest("section");
              if (made && part?.parentElement) part.parentElement.scrollTop = part.offsetTop;
            }}
          />
        ) : (
          <Loading what="the file" />
        )}
      </div>
    </Part>
  );
}

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { get, getText } from "../api/call";
import { addressOf } from "../api/place";
import { type Project, type ProjectFile, type Revision, sizeText } from "../api/project";
import { Button } from "../base/Button";
import { CopyButton } from "../base/CopyButton";
import { useCrumbs } from "../base/crumbs";
import { Empty, Failure, Gone, isGone, Loading } from "../base/Notice";
import { setPrefs, usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { Code } from "../code/Code";
import { pressLine, readLines, writeLines } from "../code/lines";
import css from "./Project.module.css";

const route = getRouteApi("/projects/$id/files");
const most = 20_000_000; // bytes of a file that is shown

/** A file of a revision, with links to its lines. */
export function ProjectFiles() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/projects/$id/files" });
  const { wrap } = usePrefs();
  const path = `api/projects/${encodeURIComponent(id)}`;
  const found = useQuery({ queryKey: [path], queryFn: ({ signal }) => get<Project>(path, {}, signal) });
  const project = found.data;
  const revision = search.revision ?? project?.revision;
  const revisions = useQuery({
    queryKey: [`${path}/revisions`, project?.revision],
    queryFn: ({ signal }) => get<{ readonly revisions: readonly Revision[] }>(`${path}/revisions`, {}, signal),
    enabled: project !== undefined,
  });
  const file = useQuery({
    queryKey: [`${path}/files/one`, revision, search.path],
    queryFn: ({ signal }) => readFile(path, revision ?? "", search.path ?? "", signal),
    enabled: revision !== undefined && search.path !== undefined,
    staleTime: Number.POSITIVE_INFINITY, // a revision never changes
  });
  const lines = useMemo(() => readLines(search.lines), [search.lines]);
  useTitle(search.path, project?.name);
  useCrumbs([
    { text: "Projects", to: "/projects" },
    { text: project?.name ?? `Project ${id}`, to: `/projects/${id}` },
    { text: search.path ?? "Files" },
  ]);
  if (isGone(found.error)) return <Gone what={`project ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`read project ${id}`} error={found.error} retry={() => void found.refetch()} />;
  if (search.path === undefined)
    return <Navigate to="/projects/$id" params={{ id }} search={{ tab: "files", revision: search.revision }} replace />;
  const raw = addressOf(`${path}/files/content?${new URLSearchParams({ revision: revision ?? "", path: search.path })}`);
  const names = revisions.data?.revisions.map((one) => one.revision) ?? [];
  const known = revision === undefined || names.includes(revision) ? names : [revision, ...names];
  return (
    <section className={css.file} aria-label={`File ${search.path}`}>
      <h1 className="unseen">{search.path}</h1>
      <div className={css.tools}>
        <select
          aria-label="Revision"
          value={revision}
          onChange={(event) => void navigate({ search: (before) => ({ ...before, revision: event.target.value }) })}
        >
          {known.map((name) => (
            <option key={name} value={name}>
              {name === project?.revision ? `${name} (newest)` : name}
            </option>
          ))}
        </select>
        <Link to="/projects/$id" params={{ id }} search={{ tab: "files", revision }}>
          All files
        </Link>
        <Button look="bare" aria-pressed={wrap} onClick={() => setPrefs({ wrap: !wrap })}>
          Wrap
        </Button>
        {file.data?.text !== undefined && <CopyButton text={file.data.text} label="Copy all" />}
        <a href={raw} rel="noreferrer">
          Raw
        </a>
        {file.data?.file && <span className="quiet">{sizeText(file.data.file.size)}</span>}
        {lines && (
          <span className="quiet">
            line{lines.from === lines.to ? "" : "s"} {writeLines(lines)}
          </span>
        )}
      </div>
      {isGone(file.error) ? (
        <Empty title={`Revision ${revision} has no file ${search.path}`}>
          <p>{file.error.message}</p>
        </Empty>
      ) : file.error ? (
        <Failure what={`read ${search.path}`} error={file.error} retry={() => void file.refetch()} />
      ) : !file.data ? (
        <Loading what="the file" rows={16} />
      ) : file.data.text === undefined ? (
        <Empty title={file.data.file?.binary ? "This file is no text" : "This file is too large to show"}>
          <p>
            {sizeText(file.data.file?.size ?? 0)}, MD5 <code>{file.data.file?.md5}</code>. “Raw” downloads it.
          </p>
        </Empty>
      ) : (
        <Code
          path={search.path}
          text={file.data.text}
          wrap={wrap}
          lines={lines}
          onLine={(line, extend) => {
            const next = pressLine(lines, line, extend);
            void navigate({ search: (before) => ({ ...before, lines: next && writeLines(next) }), replace: true, resetScroll: false });
          }}
        />
      )}
    </section>
  );
}

interface Read {
  readonly file: ProjectFile | undefined;
  readonly text: string | undefined; // undefined for what is not shown
}

/** Reads a file, or only what is known of it if it is binary or large. */
async function readFile(project: string, revision: string, path: string, signal: AbortSignal): Promise<Read> {
  const file = await findFile(project, revision, path, signal);
  if (file && (file.binary || file.size > most)) return { file, text: undefined };
  const { text } = await getText(`${project}/files/content`, { revision, path }, signal);
  return { file, text };
}

async function findFile(project: string, revision: string, path: string, signal: AbortSignal): Promise<ProjectFile | undefined> {
  let cursor = "";
  for (;;) {
    const page = await get<{ readonly items: readonly ProjectFile[]; readonly next: string | null }>(
      `${project}/files`,
      { revision, limit: 500, cursor },
      signal,
    );
    const found = page.items.find((one) => one.path === path);
    if (found || page.next === null) return found;
    cursor = page.next;
  }
}

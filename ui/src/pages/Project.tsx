import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "../api/call";
import { hexOf, type Project as Item } from "../api/project";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { useMay } from "../base/me";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { Facts, Page, Tabs } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { Wall } from "../time/Wall";
import { ProjectDelete } from "./ProjectDelete";
import { ProjectFileList } from "./ProjectFileList";
import { ProjectRevisions } from "./ProjectRevisions";
import { ProjectSchedules } from "./ProjectSchedules";
import { ProjectSecrets } from "./ProjectSecrets";
import { ProjectSessions } from "./ProjectSessions";
import { ProjectWorkflows } from "./ProjectWorkflows";

const route = getRouteApi("/projects/$id");

const tabs = {
  workflows: "Workflows",
  revisions: "Revisions",
  files: "Files",
  schedules: "Schedules",
  sessions: "Sessions",
  secrets: "Secrets",
};

/** A project with its parts. */
export function Project() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/projects/$id" });
  const queries = useQueryClient();
  const { zone } = usePrefs();
  const may = useMay(id);
  const [deleting, setDeleting] = useState(false);
  const path = `api/projects/${encodeURIComponent(id)}`;
  const found = useQuery({ queryKey: [path], queryFn: ({ signal }) => get<Item>(path, {}, signal) });
  const project = found.data;
  const tab = search.tab && search.tab in tabs ? (search.tab as keyof typeof tabs) : "workflows";
  useTitle(project ? `${tabs[tab]} · ${project.name}` : `Project ${id}`);
  useCrumbs([{ text: "Projects", to: "/projects" }, { text: project?.name ?? `Project ${id}` }]);
  const remove = may("DeleteProject");
  useActions(remove && project ? [{ title: `Delete project ${project.name}…`, run: () => setDeleting(true) }] : []);
  if (isGone(found.error)) return <Gone what={`project ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`read project ${id}`} error={found.error} retry={() => void found.refetch()} />;
  if (!project) return <Loading what="the project" />;
  const choose = (changed: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const part = { project, path, search, choose };
  return (
    <Page
      title={project.name}
      label={`Project ${project.name}`}
      head={<span className="quiet">{project.revision}</span>}
      actions={remove && <Button onClick={() => setDeleting(true)}>Delete…</Button>}
    >
      <Facts
        list={[
          ["Id", project.id],
          ["Newest revision", project.revision],
          ["Pushed", <Wall key="p" at={project.updatedAt} zone={zone} />],
          ["Created", <Wall key="c" at={project.createdAt} zone={zone} />],
          ["Archive", project.archiveType === "none" ? "none" : project.archiveType],
          ["MD5", project.archiveMd5 && <code key="m">{hexOf(project.archiveMd5)}</code>],
        ]}
      />
      <div style={{ blockSize: 12 }} />
      <Tabs
        label="Parts of the project"
        list={tabs}
        at={tab}
        target={(to) => ({ to: "/projects/$id", params: { id }, search: { tab: to } })}
      />
      {tab === "workflows" && <ProjectWorkflows {...part} />}
      {tab === "revisions" && <ProjectRevisions {...part} />}
      {tab === "files" && <ProjectFileList {...part} />}
      {tab === "schedules" && <ProjectSchedules {...part} />}
      {tab === "sessions" && <ProjectSessions {...part} />}
      {tab === "secrets" && <ProjectSecrets {...part} />}
      {deleting && (
        <ProjectDelete
          project={project}
          path={path}
          onDone={() => {
            void queries.invalidateQueries({ queryKey: ["api/projects"] });
            void navigate({ to: "/projects", replace: true });
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

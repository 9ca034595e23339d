import { useQueryClient } from "@tanstack/react-query";
import { SessionList } from "../forms/SessionList";
import { useReread } from "../live/reread";
import type { ProjectPart } from "./ProjectPart";

/** The sessions of a project. */
export function ProjectSessions({ project, search, choose }: ProjectPart) {
  const queries = useQueryClient();
  useReread(`project:${project.id}`, () => void queries.invalidateQueries({ queryKey: ["api/search/attempts"] }));
  return <SessionList project={project.name} chosen={search.at} onChoose={(at) => choose({ at })} />;
}

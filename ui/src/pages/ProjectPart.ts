import type { Project } from "../api/project";

/** What parts of the page of a project get. */
export interface ProjectPart {
  readonly project: Project;
  readonly path: string; // of the project on the server
  readonly search: { readonly at?: string; readonly q?: string; readonly from?: string; readonly revision?: string };
  readonly choose: (changed: { at?: string | undefined; q?: string | undefined; from?: string | undefined }) => void;
}

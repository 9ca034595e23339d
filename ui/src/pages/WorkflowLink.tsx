import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { get } from "../api/call";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { useTitle } from "../base/title";

const route = getRouteApi("/workflows/$id");

interface Definition {
  readonly name: string;
  readonly revision: string;
  readonly project: { readonly id: string };
}

/** Looks a definition up by its id, as links to Digdag's UI have it, and goes on to the page of its workflow. */
export function WorkflowLink() {
  const { id } = route.useParams();
  useTitle(`Workflow ${id}`);
  const found = useQuery({
    queryKey: ["workflow", id],
    queryFn: ({ signal }) => get<Definition>(`api/workflows/${encodeURIComponent(id)}`, {}, signal),
  });
  if (found.data) {
    const { name, project, revision } = found.data;
    return <Navigate to="/projects/$id/workflows/$name" params={{ id: project.id, name }} search={{ revision }} replace />;
  }
  if (isGone(found.error)) return <Gone what={`workflow ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`look workflow ${id} up`} error={found.error} retry={() => void found.refetch()} />;
  return <Loading what="the workflow" rows={2} />;
}

import { useQuery } from "@tanstack/react-query";
import { get } from "../api/call";
import { type Me, mayDo } from "../api/may";

export function useMe(): Me | undefined {
  return useQuery({ queryKey: ["me"], queryFn: ({ signal }) => get<Me>("api/me", {}, signal), staleTime: 300_000 }).data;
}

/** Says what who looks at the page may do. Nothing may be done before that is known: the server decides, pages mirror it. */
export function useMay(project?: string): (verb: string) => boolean {
  const me = useMe();
  return (verb) => mayDo(me, verb, project);
}

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { change } from "../api/call";

/** A value after it has not changed for a moment. */
export function useSettled<T>(value: T, ms = 300): T {
  const key = JSON.stringify(value);
  const [settled, setSettled] = useState({ value, key });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ value: (key === undefined ? undefined : JSON.parse(key)) as T, key }), ms);
    return () => clearTimeout(timer);
  }, [key, ms]);
  return settled.value;
}

export interface Preview<T> {
  readonly data: T | undefined; // what would happen; undefined while that is not known
  readonly error: unknown;
}

/** Asks the server what a request would do. Without a body nothing is asked. */
export function usePreview<T>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body: Readonly<Record<string, unknown>> | undefined,
): Preview<T> {
  const settled = useSettled(body ?? null);
  const asked = JSON.stringify(settled) === JSON.stringify(body ?? null) && body !== undefined;
  const found = useQuery({
    queryKey: ["preview", method, path, settled],
    queryFn: () => change<T>(method, path, settled),
    enabled: asked,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  return { data: asked && !found.isFetching ? found.data : undefined, error: asked && !found.isFetching ? found.error : null };
}

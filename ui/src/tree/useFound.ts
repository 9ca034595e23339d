import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { TreePage } from "../api/attempt";
import { get } from "../api/call";
import { useMissed, useTopic } from "../live/stream";
import { keyOf, type Row } from "./store";

/** The tasks that fit a filter, with those above them, in their order. */
export function useFound(attempt: string, filter: string | undefined, words: string | undefined) {
  const active = filter !== undefined || words !== undefined;
  const found = useInfiniteQuery({
    queryKey: ["tree", attempt, "found", filter, words],
    queryFn: ({ pageParam, signal }) =>
      get<TreePage>(
        `api/attempts/${encodeURIComponent(attempt)}/tree`,
        { flat: true, filter, q: words, limit: 200, cursor: pageParam },
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    enabled: active,
    placeholderData: (before) => before,
  });
  const readAt = useRef(0);
  const again = () => {
    const now = Date.now();
    if (!active || now - readAt.current < 1500) return;
    readAt.current = now;
    void found.refetch();
  };
  useTopic(active ? `attempt:${attempt}` : undefined, again);
  useMissed(again);
  const rows = useMemo((): readonly Row[] => {
    const items = found.data?.pages.flatMap((page) => page.items) ?? [];
    return items.map((item) => ({ kind: "task", key: keyOf(item), item, depth: item.depth, open: undefined }));
  }, [found.data]);
  return {
    active,
    rows,
    total: found.data?.pages[0]?.total.value ?? 0,
    error: found.error,
    pending: found.isPending,
    more: () => {
      if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
    },
    again: () => void found.refetch(),
  };
}

import { keepPreviousData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { get, type Query } from "../api/call";
import type { Page } from "../api/shapes";

/** A list that is read page by page. */
export interface List<T> {
  readonly rows: readonly T[];
  readonly pending: boolean; // nothing was read yet
  readonly error: unknown; // null if there is none
  readonly old: boolean; // rows are those of the filters before
  readonly more: boolean; // there are more rows
  readonly reading: boolean; // the next page is on its way
  readonly readMore: () => void;
  readonly retry: () => void;
  readonly readAt: number; // when it was read last, in milliseconds of this machine
}

type Answer<P> = UseInfiniteQueryResult<{ pages: P[] }>;

function listOf<P, T>(found: Answer<P>, rows: readonly T[]): List<T> {
  return {
    rows,
    pending: found.isPending,
    error: found.error,
    old: found.isPlaceholderData,
    more: found.hasNextPage,
    reading: found.isFetchingNextPage,
    readMore: () => {
      if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
    },
    retry: () => void found.refetch(),
    readAt: found.dataUpdatedAt,
  };
}

/** Reads a list whose answers name their next page. `first` is the first answer, for what stands in it beside the list. */
export function useList<T, P extends Page<T> = Page<T>>(path: string, query: Query = {}, on = true): List<T> & { readonly first?: P } {
  const found = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam, signal }) => get<P>(path, { limit: 100, ...query, cursor: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    enabled: on,
  });
  const pages = found.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  return { ...listOf(found as Answer<P>, rows), first: pages?.[0] };
}

/** Reads one of Digdag's lists, which go on after the last id until a page is empty. */
export function useDigdagList<T extends { readonly id: string }>(path: string, field: string, query: Query = {}): List<T> {
  type Answered = Readonly<Record<string, readonly T[]>>;
  const found = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam, signal }) => get<Answered>(path, { ...query, last_id: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page[field]?.at(-1)?.id,
    placeholderData: keepPreviousData,
  });
  const pages = found.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page[field] ?? []) ?? [], [pages, field]);
  return listOf(found as Answer<Answered>, rows);
}

/** A list that is there as a whole. */
export function wholeList<T>(
  rows: readonly T[] | undefined,
  found: { readonly isPending: boolean; readonly error: unknown; readonly refetch: () => unknown; readonly dataUpdatedAt: number },
): List<T> {
  return {
    rows: rows ?? [],
    pending: found.isPending,
    error: found.error,
    old: false,
    more: false,
    reading: false,
    readMore: () => {},
    retry: () => void found.refetch(),
    readAt: found.dataUpdatedAt,
  };
}

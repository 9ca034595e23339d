import { ArrowDownToLine, Search as SearchIcon, WrapText, X } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../base/Button";
import { useShortcuts } from "../base/keys";
import { Failure, Loading } from "../base/Notice";
import { setPrefs, usePrefs } from "../base/prefs";
import { useRows } from "../base/rows";
import { useMissed, useTopic } from "../live/stream";
import { inverse } from "./ansi";
import css from "./LogView.module.css";
import { endOf, startOf } from "./lines";
import { LogLayout, type LogRow } from "./rows";
import { ScrollTrack } from "./ScrollTrack";
import { type LogPlace, LogSource } from "./source";
import { type Search, useSearch } from "./useSearch";

const rowHeight = 18;

/** A line, or the first and last of several, as an address has them: 12 or 12-20. */
export function readLines(text: string | undefined): readonly [number, number] | undefined {
  const found = /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(text ?? "");
  if (!found) return undefined;
  const from = Number(found[1]);
  return [from, Math.max(from, Number(found[2] ?? from))];
}

interface LogViewProps {
  readonly attempt: string;
  readonly task: string; // id
  readonly name: string; // full name
  readonly tryNumber: number | undefined;
  readonly failed: boolean;
  readonly running: boolean;
  readonly lines: string | undefined; // chosen ones
  readonly onLines: (lines: string | undefined) => void;
}

/** The log of a task, or of one of its tries. */
export function LogView(props: LogViewProps) {
  const { attempt, task, tryNumber, failed, running } = props;
  const chosen = readLines(props.lines);
  const [source, setSource] = useState<LogSource | undefined>();
  const wanted = useRef<LogPlace>({ at: "start" });
  wanted.current = chosen ? { at: "line", line: chosen[0] } : failed ? { at: "error" } : running ? { at: "end" } : { at: "start" };
  useEffect(() => {
    const made = new LogSource(attempt, task, tryNumber);
    setSource(made);
    void made.open(wanted.current);
    return () => made.close();
  }, [attempt, task, tryNumber]);
  return source ? <Log {...props} source={source} chosen={chosen} /> : <Loading what="the log" />;
}

interface LogProps extends LogViewProps {
  readonly source: LogSource;
  readonly chosen: readonly [number, number] | undefined;
}

function Log({ attempt, task, name, tryNumber, running, source, chosen, onLines }: LogProps) {
  const state = useSyncExternalStore(source.subscribe, source.state);
  const { wrap } = usePrefs();
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const columns = useColumns(box, wrap);
  const [layout] = useState(() => new LogLayout());
  const [long, setLong] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => layout.rows(state.window.pieces, columns, long), [layout, state.window, columns, long]);
  const [follow, setFollow] = useState(running && !chosen);
  const [search, setSearch] = useState<Search | undefined>();
  const results = useSearch(attempt, task, tryNumber, search);
  const [match, setMatch] = useState(-1);
  const errorNumber = state.errorLine;

  const toRow = useCallback((row: number) => {
    const element = box.current;
    if (element) element.scrollTop = Math.max(0, row * rowHeight - element.clientHeight / 3);
  }, []);
  const rowOfNumber = useCallback((number: number) => rows.findIndex((row) => row.number === number), [rows]);

  const start = startOf(state.window);
  const anchor = useRef({ start, offset: 0, rest: 0, openings: 0 });
  const note = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const at = rows[Math.min(rows.length - 1, Math.floor(element.scrollTop / rowHeight))]?.line.offset ?? 0;
    anchor.current = { ...anchor.current, offset: at, rest: element.scrollTop - rowOf(rows, at) * rowHeight };
  }, [rows]);

  // Whenever the log was opened anew, the place that was asked for comes into sight.
  const seen = useRef(0);
  useLayoutEffect(() => {
    if (seen.current === state.openings || rows.length === 0) return;
    const place = state.opened;
    const element = box.current;
    if (!place || !element) return;
    seen.current = state.openings;
    if (place.at === "end") element.scrollTop = element.scrollHeight;
    else if (place.at === "line") toRow(Math.max(0, rowOfNumber(place.line)));
    else if (place.at === "error" && errorNumber !== undefined) toRow(Math.max(0, rowOfNumber(errorNumber)));
    else if (place.at === "error") element.scrollTop = element.scrollHeight;
    else if (place.at === "offset") element.scrollTop = rowOf(rows, place.offset) * rowHeight;
    else element.scrollTop = 0;
    note();
  }, [note, state.openings, state.opened, rows, rowOfNumber, toRow, errorNumber]);

  // What comes before the window must not move what is read.
  useLayoutEffect(() => {
    const element = box.current;
    const before = anchor.current;
    if (element && before.openings === state.openings && before.start !== start && rows.length > 0) {
      element.scrollTop = rowOf(rows, before.offset) * rowHeight + before.rest;
    }
    anchor.current = { ...anchor.current, start, openings: state.openings };
  }, [start, rows, state.openings]);

  useLayoutEffect(() => {
    if (follow && box.current && rows.length > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, rows]);
  const { first, last } = useRows(box, rows.length, rowHeight); // after the effects that scroll

  const atEnd = endOf(state.window) >= state.size;
  useEffect(() => {
    if (rows.length === 0) return;
    if (first < 40 && start > 0) void source.before();
    if (last > rows.length - 40 && !atEnd) void source.after();
  }, [first, last, rows.length, start, atEnd, source]);

  useEffect(() => {
    if (!follow || atEnd) return;
    if (state.size - endOf(state.window) > 1 << 20) void source.open({ at: "end" });
    else void source.after();
  }, [follow, atEnd, state.size, state.window, source]);

  useTopic(running ? `log:${attempt}/${name}` : undefined, (frames) => {
    for (const frame of frames) {
      const size = (frame.data as { size?: unknown }).size;
      if (frame.name === "log" && tryNumber === undefined && typeof size === "number") source.grown(size);
      void source.after();
    }
  });
  useMissed(() => void source.after());
  const wasRunning = useRef(running);
  useEffect(() => {
    if (wasRunning.current && !running) void source.after();
    wasRunning.current = running;
  }, [running, source]);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    note();
    if (follow && element.scrollHeight - element.scrollTop - element.clientHeight > 3 * rowHeight) setFollow(false);
  };

  const goTo = (offset: number) => {
    setFollow(false);
    if (offset >= start && offset < endOf(state.window)) toRow(rowOf(rows, offset));
    else void source.open({ at: "offset", offset });
  };
  const toMatch = (step: 1 | -1) => {
    const n = results.found.length;
    if (n === 0) return;
    const next = match < 0 ? (step === 1 ? 0 : n - 1) : (match + step + n) % n;
    setMatch(next);
    const found = results.found[next];
    if (!found) return;
    setFollow(false);
    const row = rowOfNumber(found.line);
    if (row >= 0) toRow(row);
    else void source.open({ at: "line", line: found.line });
  };
  const startSearch = () => {
    if (!search) setSearch({ words: "", regex: false, exact: false });
    requestAnimationFrame(() => field.current?.select());
  };
  const firstFound = results.found[0];
  useEffect(() => {
    setMatch(-1);
    if (firstFound && document.activeElement === field.current) {
      setMatch(0);
      void source.open({ at: "line", line: firstFound.line });
    }
  }, [firstFound, source]);

  const inLog = () => document.activeElement?.closest(`.${css.log}`) !== null;
  const toggleFollow = () => {
    if (!follow) void source.open({ at: "end" });
    setFollow(!follow);
  };
  useShortcuts("Log", [
    ...(inLog()
      ? [
          { keys: "Ctrl+f", about: "search the whole log", run: startSearch },
          { keys: "/", about: "search the whole log", run: startSearch },
          { keys: "n", about: "next match", run: () => toMatch(1) },
          { keys: "Shift+N", about: "previous match", run: () => toMatch(-1) },
          { keys: "f", about: "follow the end, or stop following", run: toggleFollow },
        ]
      : []),
  ]);
  const [, setFocused] = useState(false);

  const choose = (number: number, extend: boolean) => {
    if (extend && chosen) onLines(`${Math.min(chosen[0], number)}-${Math.max(chosen[1], number)}`);
    else onLines(chosen?.[0] === number && chosen[1] === number ? undefined : String(number));
  };
  const numbers = String(rows.at(-1)?.number ?? 1).length;
  const foundNumbers = useMemo(() => new Set(results.found.map((found) => found.line)), [results.found]);
  const present = results.found[match]?.line;

  return (
    <section className={css.log} aria-label={`Log of ${name}`} onFocus={() => setFocused(true)} onBlur={() => setFocused(false)}>
      <div className={css.tools}>
        {search ? (
          <search className={css.search}>
            <input
              ref={field}
              aria-label="Search the whole log"
              placeholder="Search the whole log"
              value={search.words}
              spellCheck={false}
              onChange={(event) => setSearch({ ...search, words: event.target.value })}
              onKeyDown={(event) => {
                if (event.key === "Enter") toMatch(event.shiftKey ? -1 : 1);
                if (event.key !== "Escape") return;
                event.stopPropagation();
                setSearch(undefined);
                box.current?.focus();
              }}
            />
            <span role="status" className="quiet">
              {wordsOf(results, match, search.words)}
            </span>
            <Button
              look="bare"
              aria-pressed={search.exact}
              title="Capital letters matter"
              onClick={() => setSearch({ ...search, exact: !search.exact })}
            >
              Aa
            </Button>
            <Button
              look="bare"
              aria-pressed={search.regex}
              title="A regular expression"
              onClick={() => setSearch({ ...search, regex: !search.regex })}
            >
              .*
            </Button>
            <Button look="bare" aria-label="End the search" onClick={() => setSearch(undefined)}>
              <X size={14} aria-hidden="true" />
            </Button>
          </search>
        ) : (
          <Button look="bare" onClick={startSearch}>
            <SearchIcon size={14} aria-hidden="true" /> Search
          </Button>
        )}
        <Button look="bare" aria-pressed={wrap} onClick={() => setPrefs({ wrap: !wrap })}>
          <WrapText size={14} aria-hidden="true" /> Wrap
        </Button>
        {running && (
          <Button look="bare" aria-pressed={follow} onClick={toggleFollow}>
            <ArrowDownToLine size={14} aria-hidden="true" /> Follow
          </Button>
        )}
        <span className={css.size}>{bytesText(state.size)}</span>
      </div>
      {state.error !== undefined && (
        <Failure compact what={`read the log of ${name}`} error={state.error} retry={() => void source.open({ at: "start" })} />
      )}
      {rows.length === 0 && state.openings > 0 && state.error === undefined && (
        <p className={css.none}>{running ? "No output yet." : "The task wrote no output."}</p>
      )}
      <div className={css.sheet}>
        <div
          ref={box}
          className={css.box}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keys
          tabIndex={0}
          role="log"
          aria-live="off"
          aria-label="Lines"
          onScroll={onScroll}
          onCopy={copyLines}
        >
          <div className={css.rows} style={{ blockSize: rows.length * rowHeight, ["--digits" as string]: `${numbers + 1}ch` }}>
            <div style={{ blockSize: first * rowHeight }} />
            {rows.slice(first, last).map((row) => (
              <Line
                key={row.part === 0 ? row.line.offset : `${row.line.offset} ${row.part}`}
                row={row}
                error={row.number === errorNumber}
                chosen={chosen !== undefined && row.number >= chosen[0] && row.number <= chosen[1]}
                match={row.number === present ? "now" : foundNumbers.has(row.number) ? "some" : undefined}
                onChoose={choose}
                onMore={() => setLong(new Set(long).add(row.line.offset))}
              />
            ))}
          </div>
        </div>
        {state.size > 0 && (
          <ScrollTrack
            box={box}
            size={state.size}
            offset={rows[Math.min(rows.length - 1, first + 12)]?.line.offset ?? 0}
            from={rows[first]?.line.offset ?? 0}
            to={rows[last - 1]?.line.end ?? 0}
            marks={results.found.map((found) => found.offset)}
            onGo={goTo}
          />
        )}
      </div>
      {!follow && running && !atEnd && (
        <Button className={css.more} onClick={toggleFollow}>
          {bytesText(state.size - endOf(state.window))} of new output · follow
        </Button>
      )}
    </section>
  );
}

interface LineProps {
  readonly row: LogRow;
  readonly error: boolean;
  readonly chosen: boolean;
  readonly match: "now" | "some" | undefined;
  readonly onChoose: (number: number, extend: boolean) => void;
  readonly onMore: () => void;
}

function Line({ row, error, chosen, match, onChoose, onMore }: LineProps) {
  return (
    <div
      className={css.line}
      data-line={row.number}
      data-first={row.part === 0 || undefined}
      data-error={error || undefined}
      data-chosen={chosen || undefined}
      data-match={match}
      data-level={row.level}
    >
      {row.part === 0 ? (
        <button
          type="button"
          tabIndex={-1}
          className={css.number}
          data-number={row.number}
          aria-label={`Link to line ${row.number}`}
          onClick={(event) => onChoose(row.number, event.shiftKey)}
        />
      ) : (
        <span className={css.number} />
      )}
      <span className={css.text}>
        {row.segments.map((segment, i) => {
          const names = classOf(segment.ink, segment.ground, segment.flags);
          return names === "" ? (
            segment.text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: segments of a line never move
            <span key={i} className={names}>
              {segment.text}
            </span>
          );
        })}
      </span>
      {row.updates > 0 && <span className={css.note}>▸ {row.updates} updates</span>}
      {row.cut > 0 && (
        <button type="button" className={css.note} onClick={onMore}>
          show {bytesText(row.cut)} more
        </button>
      )}
    </div>
  );
}

function classOf(ink: number, ground: number, flags: number): string {
  const names: (string | undefined)[] = [];
  const [front, back] = flags & inverse ? [ground, ink] : [ink, ground];
  if (front >= 0) names.push(css[`i${front}`]);
  if (back >= 0) names.push(css[`g${back}`]);
  if (flags & inverse && front < 0 && back < 0) names.push(css.inverse);
  for (const [bit, name] of [
    [1, "bold"],
    [2, "dim"],
    [4, "italic"],
    [8, "underline"],
    [32, "struck"],
  ] as const) {
    if (flags & bit) names.push(css[name]);
  }
  return names.filter(Boolean).join(" ");
}

/** The first row of the line that has a byte. */
function rowOf(rows: readonly LogRow[], offset: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.line.offset ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  while (low > 0 && rows[low - 1]?.line === rows[low]?.line) low--;
  return low;
}

function wordsOf(
  results: { found: readonly unknown[]; running: boolean; scanned: number; error: unknown },
  at: number,
  words: string,
): string {
  if (words === "") return "";
  if (results.error instanceof Error) return results.error.message;
  const n = results.found.length;
  const far = results.running ? ` · ${Math.floor(results.scanned * 100)} %` : "";
  if (n === 0) return results.running ? `Searching${far}` : "None";
  return `${at >= 0 ? `${at + 1} of ` : ""}${n.toLocaleString("en")}${far}`;
}

export function bytesText(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} kB`;
  if (n < 1e9) return `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB`;
  return `${(n / 1e9).toFixed(2)} GB`;
}

/** Copies what is selected without numbers, and wrapped lines as one. */
function copyLines(event: React.ClipboardEvent): void {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return;
  const held = document.createElement("div");
  held.append(selection.getRangeAt(0).cloneContents());
  const rows = [...held.querySelectorAll<HTMLElement>("[data-line]")];
  if (rows.length < 2) return;
  let text = "";
  rows.forEach((row, i) => {
    if (i > 0 && row.dataset.first !== undefined) text += "\n";
    text += row.querySelector(`.${css.text}`)?.textContent ?? row.textContent ?? "";
  });
  event.preventDefault();
  event.clipboardData.setData("text/plain", text);
}

/** How many characters fit into a row, or 0 if lines are not wrapped. */
function useColumns(box: React.RefObject<HTMLDivElement | null>, wrap: boolean): number {
  const [columns, setColumns] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element || !wrap) {
      setColumns(0);
      return;
    }
    const probe = document.createElement("span");
    probe.className = css.probe ?? "";
    probe.textContent = "0".repeat(100);
    const measure = () => {
      element.append(probe);
      const width = probe.getBoundingClientRect().width / 100;
      probe.remove();
      if (width > 0) setColumns(Math.max(20, Math.floor((element.clientWidth - 40) / width) - 8));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, wrap]);
  return columns;
}

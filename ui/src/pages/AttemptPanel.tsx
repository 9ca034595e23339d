import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState } from "react";
import type { TaskDetail, TreeItem, Values, Why } from "../api/attempt";
import { get } from "../api/call";
import { Button } from "../base/Button";
import { CopyButton } from "../base/CopyButton";
import { Failure, Loading } from "../base/Notice";
import { useTopic } from "../live/stream";
import { bytesText, LogView } from "../log/LogView";
import { Mark } from "../state/Mark";
import { duration } from "../time/duration";
import type { ZoneChoice } from "../time/format";
import { Wall } from "../time/Wall";
import css from "./AttemptPanel.module.css";

export const tabs = {
  log: { title: "Log", keys: "l" },
  error: { title: "Error", keys: "e" },
  why: { title: "Why", keys: "w" },
  params: { title: "Parameters", keys: "p" },
  config: { title: "Config", keys: "d" },
  tries: { title: "Tries", keys: "t" },
} as const;

export type Tab = keyof typeof tabs;
export const isTab = (text: string | undefined): text is Tab => text !== undefined && Object.hasOwn(tabs, text);

/** The tab that answers what one asks first about a task. */
export function usualTab(item: Pick<TreeItem, "state" | "hasLog" | "kind">): Tab {
  if (item.hasLog) return "log";
  if (item.state === "group_error") return "error";
  if (item.state === "success") return "config";
  return "why";
}

interface PanelProps {
  readonly attempt: string;
  readonly item: TreeItem;
  readonly tab: Tab;
  readonly tryNumber: number | undefined;
  readonly lines: string | undefined;
  readonly zone: ZoneChoice;
  readonly timezone: string;
  readonly onTab: (tab: Tab) => void;
  readonly onTry: (tryNumber: number | undefined) => void;
  readonly onLines: (lines: string | undefined) => void;
  readonly onSelect: (task: string) => void;
  readonly onRetry: (() => void) | undefined;
  readonly onClose: () => void;
}

/** What is known of the selected task. */
export function AttemptPanel(props: PanelProps) {
  const { attempt, item, tab, tryNumber, onTab, onTry, onClose, onRetry } = props;
  const queries = useQueryClient();
  const path = item.id === null ? undefined : `api/attempts/${encodeURIComponent(attempt)}/tasks/${item.id}`;
  const key = ["task", attempt, item.id];
  const found = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get<TaskDetail>(path ?? "", {}, signal),
    enabled: path !== undefined,
    staleTime: 2000,
  });
  useTopic(`attempt:${attempt}`, (frames) => {
    const changed = frames.some(
      (frame) => frame.name === "reset" || (frame.data as { rows?: readonly { id: string }[] }).rows?.some((row) => row.id === item.id),
    );
    if (changed) void queries.invalidateQueries({ queryKey: key });
  });
  const task = found.data;
  const parts = item.fullName.split(/(?=\+)/);
  return (
    <aside className={css.panel} aria-label="Selected task">
      <header className={css.head}>
        <h2 className={css.name} title={item.fullName}>
          <Mark state={item.state} />
          <span className={css.path}>
            <span className="quiet">{parts.slice(0, -1).join("")}</span>
            <span>{parts.at(-1)}</span>
          </span>
        </h2>
        {task && task.tries.length > 1 && tab === "log" && (
          <select
            aria-label="Try"
            className={css.tries}
            value={tryNumber ?? ""}
            onChange={(event) => onTry(event.target.value === "" ? undefined : Number(event.target.value))}
          >
            <option value="">All tries</option>
            {task.tries.map((each) => (
              <option key={each.try} value={each.try}>
                Try {each.try} · {each.exit}
              </option>
            ))}
          </select>
        )}
        <span className={css.wide}>
          <CopyButton text={item.fullName} label="Copy name" />
        </span>
        {onRetry && (
          <Button look="bare" onClick={onRetry} title="r">
            Run from here…
          </Button>
        )}
        <Button look="bare" aria-label="Close" title="Esc" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </Button>
      </header>
      <div className={css.tabs} role="tablist" aria-label="About the task">
        {(Object.keys(tabs) as Tab[]).map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-selected={each === tab}
            aria-controls="task-panel"
            tabIndex={each === tab ? 0 : -1}
            title={tabs[each].keys}
            onClick={() => onTab(each)}
            onKeyDown={(event) => {
              const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
              if (step === 0) return;
              event.preventDefault();
              event.stopPropagation();
              const all = Object.keys(tabs) as Tab[];
              const next = all[(all.indexOf(each) + step + all.length) % all.length] ?? each;
              onTab(next);
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            {tabs[each].title}
          </button>
        ))}
      </div>
      <div className={css.body} id="task-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} data-log={tab === "log" || undefined}>
        {path === undefined ? (
          <p className={css.none}>This task is made at run time. It has nothing to show before.</p>
        ) : tab === "log" ? (
          <TaskLog {...props} />
        ) : found.error ? (
          <Failure compact what={`read task ${item.fullName}`} error={found.error} retry={() => void found.refetch()} />
        ) : !task ? (
          <Loading what="the task" rows={4} />
        ) : tab === "error" ? (
          <ErrorOf task={task} />
        ) : tab === "why" ? (
          <WhyOf {...props} path={path} state={item.state} />
        ) : tab === "params" ? (
          <Params task={task} />
        ) : tab === "config" ? (
          <Config task={task} item={item} />
        ) : (
          <Tries {...props} task={task} />
        )}
      </div>
    </aside>
  );
}

function TaskLog({ attempt, item, tryNumber, lines, onLines }: PanelProps) {
  if (item.id === null) return null;
  if (item.operator === null && !item.hasLog) {
    return <p className={css.none}>A group writes no output of its own. Choose a task below it.</p>;
  }
  if (!item.hasLog) return <p className={css.none}>The task has not run yet, so there is no output.</p>;
  return (
    <LogView
      key={`${attempt} ${item.id} ${tryNumber ?? ""}`}
      attempt={attempt}
      task={item.id}
      name={item.fullName}
      tryNumber={tryNumber}
      failed={item.state === "error" || item.state === "group_error"}
      running={item.finishedAt === null}
      lines={lines}
      onLines={onLines}
    />
  );
}

function ErrorOf({ task }: { readonly task: TaskDetail }) {
  const last = task.tries.at(-1);
  if (!task.error.message) {
    return (
      <p className={css.none}>
        {task.isGroup && task.stateDetail === "group_error" ? "The group failed as tasks below it did." : "The task has no error."}
      </p>
    );
  }
  return (
    <>
      <p className={css.message}>{task.error.message}</p>
      {last && (
        <p className="quiet">
          Try {last.try} ended with {last.exit}
          {last.agent ? ` at agent ${last.agent}` : ""}.
        </p>
      )}
      {last && last.lastLines.length > 0 && (
        <section>
          <h3>Last lines</h3>
          <pre className={css.text}>{last.lastLines.join("\n")}</pre>
        </section>
      )}
      {task.error.stacktrace && (
        <details>
          <summary>Stack</summary>
          <pre className={css.text}>{task.error.stacktrace}</pre>
        </details>
      )}
      <CopyButton text={`${task.error.message}\n${task.error.stacktrace ?? ""}`} label="Copy error" />
    </>
  );
}

function WhyOf({ attempt, path, state, zone, timezone, onSelect }: PanelProps & { readonly path: string; readonly state: string }) {
  const found = useQuery({
    queryKey: ["why", path, state],
    queryFn: ({ signal }) => get<Why>(`${path}/why`, {}, signal),
    staleTime: 0,
  });
  const why = found.data;
  if (found.error) return <Failure compact what="find out why" error={found.error} retry={() => void found.refetch()} />;
  if (!why) return <Loading what="the reasons" rows={3} />;
  return (
    <>
      <p className={css.reason}>{why.text}</p>
      {why.since && (
        <p className="quiet">
          Since <Wall at={why.since} zone={zone} workflow={timezone} />
        </p>
      )}
      {why.next.at && (
        <p>
          Ends by itself at <Wall at={why.next.at} zone={zone} workflow={timezone} />
        </p>
      )}
      {why.chain.length > 1 && (
        <section>
          <h3>What is behind it</h3>
          <ol className={css.chain}>
            {why.chain.map((link, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: links of a chain have no names of their own
              <li key={i}>
                <Mark state={link.state} />{" "}
                {link.task && link.attempt === attempt ? (
                  <button type="button" className={css.link} onClick={() => onSelect(link.task?.id ?? "")}>
                    {link.task.name}
                  </button>
                ) : (
                  <Link to="/attempts/$id" params={{ id: link.attempt }} search={link.task ? { task: link.task.id } : {}}>
                    attempt {link.attempt} {link.task?.name}
                  </Link>
                )}{" "}
                <span className="quiet">{link.reason.text}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {why.reasons.length > 1 && (
        <section>
          <h3>Also</h3>
          <ul className={css.chain}>
            {why.reasons.slice(1).map((reason) => (
              <li key={`${reason.code} ${reason.text}`}>{reason.text}</li>
            ))}
          </ul>
        </section>
      )}
      {why.offers.length > 0 && (
        <section>
          <h3>What helps</h3>
          <ul className={css.chain}>
            {why.offers.map((offer) => (
              <li key={offer.label} className={css.offer}>
                <code>{offer.label}</code>
                {offer.allowed ? <CopyButton text={offer.label} /> : <span className="quiet">you may not do this</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Values as people write them, those of objects below them. */
function flat(values: Values, prefix = ""): [name: string, value: string][] {
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
      return flat(value as Values, path);
    return [[path, typeof value === "string" ? value : JSON.stringify(value)]];
  });
}

const longest = 4000; // characters of a value that are shown unless asked for

function Table({ title, values, words }: { readonly title: string; readonly values: Values; readonly words: string }) {
  const rows = flat(values).filter(([name, value]) => `${name} ${value}`.toLowerCase().includes(words.toLowerCase()));
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <table className={css.values}>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                <Value text={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Value({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <code>{all ? text : text.slice(0, longest)}</code>
      {text.length > longest && !all && (
        <Button look="bare" onClick={() => setAll(true)}>
          Show {bytesText(text.length - longest)} more
        </Button>
      )}
    </>
  );
}

function Params({ task }: { readonly task: TaskDetail }) {
  const [words, setWords] = useState("");
  const none = [task.exportParams, task.storeParams, task.stateParams].every((values) => Object.keys(values).length === 0);
  if (none) return <p className={css.none}>The task exports and stores nothing.</p>;
  return (
    <>
      <input
        className={css.find}
        placeholder="Find a name or a value"
        aria-label="Find a name or a value"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Table title="Exported to tasks below" values={task.exportParams} words={words} />
      <Table title="Stored for later tasks" values={task.storeParams} words={words} />
      <Table title="State of its operator" values={task.stateParams} words={words} />
    </>
  );
}

function Config({ task, item }: { readonly task: TaskDetail; readonly item: TreeItem }) {
  const used = task.effective;
  return (
    <>
      {(task.place ?? item.file) && (
        <p>
          Written in <code>{task.place ?? `${item.file}:${item.line}`}</code>
        </p>
      )}
      <pre className={css.text}>{JSON.stringify(task.config, null, 2)}</pre>
      {used && (
        <table className={css.values}>
          <tbody>
            <Fact name="Queue" text={used.queue} />
            <Fact name="Pools" text={used.pools.map((pool) => `${pool.name} (${pool.slots})`).join(", ")} />
            <Fact name="Labels" text={used.labels.join(", ")} />
            <Fact name="Priority" text={used.priorityWeight === 0 ? "" : String(used.priorityWeight)} />
          </tbody>
        </table>
      )}
    </>
  );
}

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  if (text === "") return null;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{text}</td>
    </tr>
  );
}

function between(from: string | null, to: string | null): string {
  return from && to ? duration(Math.max(0, Date.parse(to) - Date.parse(from))) : "–";
}

function Tries({ task, zone, timezone, onTry, onTab }: PanelProps & { readonly task: TaskDetail }) {
  if (task.tries.length === 0) {
    return <p className={css.none}>{task.agent ? `The first try runs at agent ${task.agent}.` : "The task was not tried yet."}</p>;
  }
  return (
    <>
      <div className={css.scroll}>
        <table className={css.list}>
          <thead>
            <tr>
              <th scope="col">Try</th>
              <th scope="col">Ended with</th>
              <th scope="col">Started</th>
              <th scope="col">Waited</th>
              <th scope="col">Ran</th>
              <th scope="col">Agent</th>
              <th scope="col">Memory</th>
            </tr>
          </thead>
          <tbody>
            {task.tries.map((each) => (
              <tr key={each.try}>
                <td>
                  <Button
                    look="bare"
                    title="Log of this try"
                    onClick={() => {
                      onTry(each.try);
                      onTab("log");
                    }}
                  >
                    {each.try}
                  </Button>
                </td>
                <td>{each.exit}</td>
                <td>
                  <Wall at={each.startedAt} zone={zone} workflow={timezone} />
                </td>
                <td>{between(each.readyAt, each.claimedAt)}</td>
                <td>{between(each.startedAt, each.endedAt)}</td>
                <td className={css.agent} title={each.agent ?? undefined}>
                  {each.agent}
                </td>
                <td>{each.usage?.peakMemoryBytes === undefined ? "" : bytesText(each.usage.peakMemoryBytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Links task={task} />
    </>
  );
}

function Links({ task }: { readonly task: TaskDetail }) {
  const safe = task.links.filter((link) => /^https?:\/\//i.test(link.url));
  if (safe.length === 0) return null;
  return (
    <section>
      <h3>Outside</h3>
      <ul className={css.chain}>
        {safe.map((link) => (
          <li key={link.url}>
            <a href={link.url} target="_blank" rel="noopener noreferrer">
              {link.name}
            </a>{" "}
            <span className="quiet">{hostOf(link.url)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

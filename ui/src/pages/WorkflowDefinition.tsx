import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { getText } from "../api/call";
import type { Definition } from "../api/project";
import { Failure, isGone, Loading } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { Code } from "../code/Code";
import { type Lines, pressLine } from "../code/lines";
import { outlineOf } from "../code/outline";
import css from "./Workflow.module.css";

/** How a workflow is written: its tasks beside its file. Where the file cannot be read, what the server has made of it. */
export function WorkflowDefinition({ project, workflow }: { readonly project: string; readonly workflow: Definition }) {
  const { wrap } = usePrefs();
  const [lines, setLines] = useState<Lines>();
  const path = `${workflow.name}.dig`;
  const file = useQuery({
    queryKey: [`api/projects/${project}/files/text`, workflow.revision, path],
    queryFn: ({ signal }) => getText(`api/projects/${project}/files/content`, { revision: workflow.revision, path }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const text = file.data?.text ?? (isGone(file.error) ? JSON.stringify(workflow.config, null, 2) : undefined);
  const tasks = useMemo(() => outlineOf(file.data?.text ?? ""), [file.data]);
  const at = useMemo(() => (lines ? { ...lines } : undefined), [lines]);
  if (text === undefined && file.error) return <Failure what={`read ${path}`} error={file.error} retry={() => void file.refetch()} />;
  if (text === undefined) return <Loading what="the file" rows={12} />;
  return (
    <div className={css.definition}>
      {tasks.length > 0 && (
        <nav className={css.outline} aria-label="Tasks">
          <ol>
            {tasks.map((task) => (
              <li key={task.line}>
                <button
                  type="button"
                  style={{ paddingInlineStart: 12 + task.depth * 14 }}
                  aria-current={lines?.from === task.line || undefined}
                  onClick={() => setLines({ from: task.line, to: task.line })}
                >
                  {task.name}
                </button>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <Code
        path={file.data ? path : `${workflow.name}.json`}
        text={text}
        wrap={wrap}
        lines={at}
        follow
        onLine={(line, extend) => setLines((before) => pressLine(before, line, extend))}
      />
    </div>
  );
}

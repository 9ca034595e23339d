import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { change, get } from "../api/call";
import type { Schedule } from "../api/operate";
import type { Project } from "../api/project";
import type { AttemptItem, Page } from "../api/shapes";
import { Field } from "../base/Field";
import { ActionDialog, Listed } from "../forms/ActionDialog";
import { sessionText } from "../time/format";

interface ProjectDeleteProps {
  readonly project: Project;
  readonly path: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Deletes a project, after its name was typed. */
export function ProjectDelete({ project, path, onDone, onClose }: ProjectDeleteProps) {
  const [name, setName] = useState("");
  const schedules = useQuery({
    queryKey: [`${path}/schedules`, "delete"],
    queryFn: ({ signal }) => get<{ readonly schedules: readonly Schedule[] }>(`${path}/schedules`, {}, signal),
    staleTime: 0,
  });
  const running = useQuery({
    queryKey: ["api/search/attempts", "delete", project.name],
    queryFn: ({ signal }) => get<Page<AttemptItem>>("api/search/attempts", { project: project.name, status: "running", limit: 51 }, signal),
    staleTime: 0,
  });
  const ends = schedules.data?.schedules;
  const runs = running.data?.items;
  const many = (n: number, more: boolean, thing: string) => `${n}${more ? " or more" : ""} ${thing}${n === 1 ? "" : "s"}`;
  return (
    <ActionDialog
      title={`Delete project ${project.name}`}
      what="delete the project"
      act={`Delete ${project.name}`}
      ready={name === project.name && Boolean(ends) && Boolean(runs)}
      fields={<Field title={`Type its name: ${project.name}`} value={name} onValue={setName} />}
      preview={
        ends && runs ? (
          <>
            <p>
              {ends.length === 0
                ? "No schedule ends."
                : `${many(ends.length, ends.length >= 100, "schedule")} ${ends.length === 1 ? "ends" : "end"}:`}
            </p>
            <Listed list={ends.map((schedule) => schedule.workflow.name)} />
            <p>
              {runs.length === 0
                ? "No attempt runs."
                : `${many(Math.min(50, runs.length), runs.length > 50, "attempt")} ${runs.length === 1 ? "goes" : "go"} on running:`}
            </p>
            <Listed list={runs.slice(0, 50).map((attempt) => `${attempt.workflow.name} ${sessionText(attempt.sessionTime)}`)} />
            <p>Its sessions and secrets are not shown any more. Another project may take the name.</p>
          </>
        ) : (
          <p className="quiet">{schedules.error || running.error ? "What ends could not be read." : "Reading what ends …"}</p>
        )
      }
      onAct={async () => {
        await change("DELETE", path);
        onDone();
      }}
      onClose={onClose}
    />
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { change, get } from "../api/call";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { Field } from "../base/Field";
import { wholeList } from "../base/list";
import { useMay } from "../base/me";
import { Empty } from "../base/Notice";
import { type Column, Table } from "../base/Table";
import { ActionDialog } from "../forms/ActionDialog";
import css from "./Project.module.css";
import type { ProjectPart } from "./ProjectPart";

interface Key {
  readonly key: string;
}

/** The names of secrets. Values go to the server and never come back. */
export function ProjectSecrets({ project, path, search, choose }: ProjectPart) {
  const may = useMay(project.id);
  const [setting, setSetting] = useState<string>(); // the key to set, empty for a new one
  const [deleting, setDeleting] = useState<string>();
  const found = useQuery({
    queryKey: [`${path}/secrets`],
    queryFn: ({ signal }) => get<{ readonly secrets: readonly Key[] }>(`${path}/secrets`, {}, signal),
  });
  const write = may("PutProjectSecret");
  const remove = may("DeleteProjectSecret");
  useActions(write ? [{ title: "Set a secret…", run: () => setSetting("") }] : []);
  const columns: Column<Key>[] = [
    { key: "key", title: "Secret", cell: (row) => <b>{row.key}</b> },
    {
      key: "do",
      title: <span className="unseen">Actions</span>,
      width: 190,
      narrow: 160,
      end: true,
      cell: (row) => (
        <>
          {write && (
            <Button look="bare" onClick={() => setSetting(row.key)} aria-label={`Set ${row.key} again`}>
              Set again…
            </Button>
          )}
          {remove && (
            <Button look="bare" onClick={() => setDeleting(row.key)} aria-label={`Delete ${row.key}`}>
              Delete…
            </Button>
          )}
        </>
      ),
    },
  ];
  const rows = found.data && [...found.data.secrets].sort((a, b) => a.key.localeCompare(b.key));
  return (
    <>
      <div className={css.tools}>
        {write && <Button onClick={() => setSetting("")}>Set a secret…</Button>}
        <span className="quiet">Values are never shown: the server only takes them.</span>
      </div>
      <Table
        what="secrets"
        list={wholeList(rows, found)}
        columns={columns}
        rowKey={(row) => row.key}
        chosen={search.at}
        onChoose={(at) => choose({ at })}
        empty={<Empty title="This project has no secrets" command={`trowel secrets --project ${project.name} --set KEY`} />}
      />
      {setting !== undefined && (
        <SetSecret path={path} name={setting} onDone={() => void found.refetch()} onClose={() => setSetting(undefined)} />
      )}
      {deleting !== undefined && (
        <ActionDialog
          title={`Delete secret ${deleting}`}
          what="delete the secret"
          act={`Delete ${deleting}`}
          ready
          preview={
            <p>Tasks that ask for {deleting} will fail from now on, unless it is set elsewhere. Its value cannot be brought back.</p>
          }
          onAct={async () => {
            await change("DELETE", `${path}/secrets/${encodeURIComponent(deleting)}`);
            void found.refetch();
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

interface SetSecretProps {
  readonly path: string;
  readonly name: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sets a secret. The value is kept by the field alone, which goes with the dialog. */
function SetSecret({ path, name, onDone, onClose }: SetSecretProps) {
  const [key, setKey] = useState(name);
  const [field, setField] = useState<HTMLInputElement | null>(null);
  return (
    <ActionDialog
      title={name === "" ? "Set a secret" : `Set ${name} again`}
      what="set the secret"
      act={key === "" ? "Set the secret" : `Set ${key}`}
      ready={key.trim() !== ""}
      fields={
        <>
          {name === "" && <Field title="Key" value={key} onValue={setKey} placeholder="td.apikey" />}
          <Field title="Value" type="password" autoComplete="new-password" onValue={() => {}} ref={setField} />
        </>
      }
      preview={<p>Tasks that start from now on get this value. The one before is lost.</p>}
      onAct={async () => {
        await change("PUT", `${path}/secrets/${encodeURIComponent(key.trim())}`, { value: field?.value ?? "" });
        if (field) field.value = "";
        onDone();
      }}
      onClose={onClose}
    />
  );
}

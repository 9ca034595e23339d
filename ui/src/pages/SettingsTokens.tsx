import { useState } from "react";
import { change } from "../api/call";
import type { Token } from "../api/operate";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { CopyButton } from "../base/CopyButton";
import { Field } from "../base/Field";
import { useList } from "../base/list";
import { useMay, useMe } from "../base/me";
import { Empty } from "../base/Notice";
import { Note } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { ActionDialog } from "../forms/ActionDialog";
import { TimeField } from "../forms/TimeField";
import { serverNow } from "../time/clock";
import { localZone, type ZoneChoice, zoneOf } from "../time/format";
import { instantText, takenInstant } from "../time/instants";
import { Wall } from "../time/Wall";
import css from "./Settings.module.css";

const stateOf = (token: Token) =>
  token.revokedAt ? "revoked" : token.expiresAt && Date.parse(token.expiresAt) <= serverNow() ? "expired" : "valid";

const columns = (zone: ZoneChoice, onRevoke: (token: Token) => void): Column<Token>[] => [
  { key: "name", title: "Token", cell: (row) => <b>{row.name}</b> },
  { key: "role", title: "Role", width: 90, narrow: 80, cell: (row) => row.scopes.join(", ") },
  { key: "project", title: "For", width: 130, cell: (row) => row.project?.name ?? <span className="quiet">all projects</span> },
  { key: "state", title: "State", width: 80, cell: stateOf },
  { key: "used", title: "Last used", width: 200, cell: (row) => (row.lastUsedAt ? <Wall at={row.lastUsedAt} zone={zone} /> : "never") },
  { key: "expires", title: "Ends", width: 200, cell: (row) => (row.expiresAt ? <Wall at={row.expiresAt} zone={zone} /> : "never") },
  {
    key: "do",
    title: <span className="unseen">Actions</span>,
    width: 100,
    narrow: 90,
    end: true,
    cell: (row) =>
      !row.revokedAt && (
        <Button look="bare" aria-label={`Revoke ${row.name}`} onClick={() => onRevoke(row)}>
          Revoke…
        </Button>
      ),
  },
];

/** Tokens of programs: they are made, shown once, and revoked. */
export function SettingsTokens() {
  const { zone } = usePrefs();
  const me = useMe();
  const may = useMay();
  const allowed = may("ManageTokens");
  const list = useList<Token>("api/tokens", {}, allowed);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const [made, setMade] = useState<Token>();
  if (me && !allowed)
    return (
      <Empty title="You may not manage tokens">
        <p>The role admin is needed{me.auth === "none" ? ", and the server has no user who could sign in" : ""}.</p>
      </Empty>
    );
  return (
    <div className={css.tokens}>
      <p className={css.tools}>
        <Button onClick={() => setMaking(true)}>New token…</Button>
        <span className="quiet">A program sends it as Authorization: Bearer.</span>
      </p>
      {made?.secret && (
        <Note>
          <p>
            Token <b>{made.name}</b> is made. This is the only time that it is shown:
          </p>
          <p className={css.secret}>
            <code>{made.secret}</code> <CopyButton text={made.secret} />
            <Button look="bare" onClick={() => setMade(undefined)}>
              Hide it
            </Button>
          </p>
        </Note>
      )}
      <Table flow what="tokens" list={list} columns={columns(zone, setRevoking)} rowKey={(row) => row.id} empty="There are no tokens." />
      {making && (
        <NewToken
          onDone={(token) => {
            setMade(token);
            list.retry();
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {revoking && (
        <ActionDialog
          title={`Revoke token ${revoking.name}`}
          what="revoke the token"
          act={`Revoke ${revoking.name}`}
          ready
          preview={<p>Requests with it are refused at once, and browsers that signed in with it are signed out. It cannot be undone.</p>}
          onAct={async () => {
            await change("DELETE", `api/tokens/${revoking.id}`);
            list.retry();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </div>
  );
}

const roles = { read: "Read", operator: "Operator", admin: "Admin" };

const words: Readonly<Record<string, string>> = {
  read: "see everything, and change nothing",
  operator: "push, run and kill workflows, set secrets, change schedules, pools and agents",
  admin: "do everything, tokens included",
};

function NewToken({ onDone, onClose }: { readonly onDone: (token: Token) => void; readonly onClose: () => void }) {
  const { zone } = usePrefs();
  const name = zone === "workflow" ? localZone : zoneOf(zone, undefined);
  const [title, setTitle] = useState("");
  const [role, setRole] = useState<keyof typeof roles>("read");
  const [project, setProject] = useState("");
  const [ends, setEnds] = useState("");
  const taken = takenInstant(ends, name);
  const good = ends.trim() === "" || taken !== undefined;
  return (
    <ActionDialog
      title="New token"
      what="make the token"
      act="Make the token"
      ready={title.trim() !== "" && good}
      fields={
        <>
          <Field title="Name" value={title} onValue={setTitle} about="says who or what uses it" />
          <div className={css.role}>
            <Choice title="Role" value={role} choices={roles} onChange={setRole} />
          </div>
          <Field title="Project" value={project} onValue={setProject} placeholder="all projects" />
          <TimeField title="Ends" zone={name} value={ends} onValue={setEnds} />
        </>
      }
      preview={
        <p>
          Who has it may {words[role]}
          {project.trim() === "" ? "" : `, in project ${project.trim()} alone`}
          {ends.trim() === "" ? ", for ever" : ""}.
        </p>
      }
      onAct={async () => {
        const token = await change<Token>("POST", "api/tokens", {
          name: title.trim(),
          role,
          ...(project.trim() === "" ? {} : { project: project.trim() }),
          expiresAt: taken ? instantText(taken.ms) : null,
        });
        if (token) onDone(token);
      }}
      onClose={onClose}
    />
  );
}

import { change } from "../api/call";
import { Button } from "../base/Button";
import { useList } from "../base/list";
import { useMe } from "../base/me";
import { Facts, Part } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import type { ZoneChoice } from "../time/format";
import { Wall } from "../time/Wall";

interface Login {
  readonly id: string;
  readonly current: boolean;
  readonly address: string;
  readonly browser: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly expiresAt: string;
}

const ways: Readonly<Record<string, string>> = {
  basic: "the user of the server's settings",
  token: "a token",
  none: "nobody signs in: everyone who reaches this server may do everything",
};

const columns = (zone: ZoneChoice, onEnd: (login: Login) => void): Column<Login>[] => [
  { key: "browser", title: "Browser", cell: (row) => <span title={row.browser}>{row.browser}</span> },
  { key: "address", title: "From", width: 150, narrow: 110, cell: (row) => row.address },
  { key: "since", title: "Signed in", width: 210, cell: (row) => <Wall at={row.createdAt} zone={zone} /> },
  { key: "used", title: "Last used", width: 210, cell: (row) => <Wall at={row.usedAt} zone={zone} /> },
  {
    key: "do",
    title: <span className="unseen">Actions</span>,
    width: 110,
    narrow: 90,
    end: true,
    cell: (row) =>
      row.current ? (
        <span className="quiet">this one</span>
      ) : (
        <Button look="bare" aria-label={`Sign out ${row.browser}`} onClick={() => onEnd(row)}>
          Sign out
        </Button>
      ),
  },
];

/** Who one is here, and where else one is signed in. */
export function SettingsMe() {
  const { zone } = usePrefs();
  const me = useMe();
  const list = useList<Login>("api/login/sessions", {}, me !== undefined && me.auth !== "none");
  if (!me) return null;
  const end = async (login: Login) => {
    await change("DELETE", `api/login/sessions/${login.id}`).catch(() => undefined);
    list.retry();
  };
  return (
    <>
      <Facts
        list={[
          ["You are", me.user],
          ["Role", me.roles.join(", ")],
          ["It comes from", ways[me.auth] ?? me.auth],
          ["Version of the server", me.version],
        ]}
      />
      {me.auth !== "none" && (
        <Part title="Browsers that are signed in">
          <Table
            flow
            what="browsers"
            list={list}
            columns={columns(zone, (login) => void end(login))}
            rowKey={(row) => row.id}
            empty="No browser is signed in with a cookie."
          />
        </Part>
      )}
    </>
  );
}

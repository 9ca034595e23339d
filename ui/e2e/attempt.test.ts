import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "./browser";
import { TestServer } from "./server";
import { Visit } from "./visit";

const orders = "+daily+load+orders";
let work: string;
let mended: string; // the file without which the workflow fails
let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "trowel-ui-"));
  mended = join(work, "mended");
  browser = await openBrowser();
  server = await TestServer.start();
  const folder = join(import.meta.dirname, "world/etl");
  await server.push("etl", Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])));
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(work, { recursive: true, force: true });
});

async function api<T>(path: string): Promise<T> {
  const answer = await fetch(`${server.address}/api/${path}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Starts a workflow and returns the id of the attempt. */
async function start(workflow: string, ...words: string[]): Promise<string> {
  const told = await server.trowel("start", "etl", workflow, "--session", "now", ...words);
  const id = /attempt id: (\d+)/.exec(told)?.[1];
  if (!id) throw new Error(`no attempt in: ${told}`);
  return id;
}

/** Waits until an attempt is over. */
async function ended(id: string): Promise<{ readonly status: string; readonly sessionId: string }> {
  for (let tries = 0; tries < 200; tries++) {
    const attempt = await api<{ done: boolean; status: string; sessionId: string }>(`attempts/${id}`);
    if (attempt.done) return attempt;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`attempt ${id} does not end`);
}

interface Item {
  readonly id: string;
  readonly fullName: string;
  readonly kind: string;
  readonly operator: string | null;
  readonly state: string;
  readonly try: number;
  readonly reused: boolean;
}

const tasksOf = async (id: string) => (await api<{ items: Item[] }>(`attempts/${id}/tree?depth=100&limit=500`)).items;

/** An attempt that has failed. */
async function failed(): Promise<string> {
  rmSync(mended, { force: true });
  const id = await start("daily", "-p", `mended=${mended}`);
  expect((await ended(id)).status).toBe("error");
  return id;
}

/** The tasks that ran in an attempt, but for those that others made. */
async function ran(id: string): Promise<string[]> {
  const tasks = await tasksOf(id);
  return tasks
    .filter((task) => task.kind === "operator" && task.try > 0 && !task.reused && !task.fullName.includes("^"))
    .map((task) => task.fullName)
    .sort();
}

/** Reads the names that a dialog lists, when it has them. */
async function listed(visit: Visit): Promise<string[]> {
  await visit.page.waitForSelector("dialog button[type=submit]:enabled");
  return (await visit.page.$$eval("dialog [data-task]", (rows) => rows.map((row) => row.getAttribute("data-task") ?? ""))).sort();
}

/** Waits for the page of a newer attempt and returns its id. */
async function newer(visit: Visit, id: string): Promise<string> {
  await visit.page.waitForURL((url) => /^\/attempts\/\d+$/.test(url.pathname) && url.pathname !== `/attempts/${id}`);
  return new URL(visit.page.url()).pathname.split("/").at(-1) ?? "";
}

/** Checks that the failed task is selected, and that its log stands at the line of the error. */
async function seesError(visit: Visit, id: string): Promise<void> {
  const task = (await tasksOf(id)).find((each) => each.fullName === orders);
  await visit.page.waitForSelector(`tr[aria-selected=true][data-task="${task?.id}"]`);
  const line = visit.page.locator("[data-line][data-error]");
  await line.waitFor();
  expect(await line.textContent()).toContain('ERROR: relation "orders_2026" does not exist');
  const [place, box] = await Promise.all([line.boundingBox(), visit.page.locator("[role=log]").boundingBox()]);
  if (!place || !box) throw new Error("the line or its box is not shown");
  expect(place.y).toBeGreaterThanOrEqual(box.y);
  expect(place.y + place.height).toBeLessThanOrEqual(box.y + box.height);
}

test("a failed attempt opens with the first failed task, and its log at the error", async () => {
  const id = await failed();
  const visit = await Visit.open(browser, `${server.address}/attempts/${id}`);
  await seesError(visit, id);
  expect(await visit.page.title()).toMatch(/^error · daily .*\+09:00 · Trowel$/);
  expect(visit.actions).toBe(0);
  await visit.page.goto(visit.page.url());
  await seesError(visit, id);
  await visit.close();
});

test.each(["Enter", "click"])("what failed and why: from the home page to the error with one %s", async (how) => {
  const id = await failed();
  const visit = await Visit.open(browser, `${server.address}/`);
  await visit.page.waitForSelector("[data-group][data-chosen]");
  expect(await visit.page.locator("[data-group] >> nth=0").textContent()).toBe("daily");
  expect(await visit.page.locator("main pre").first().textContent()).toMatch(/part 298\n.*part 299\n.*part 300$/);
  if (how === "Enter") await visit.press("Enter");
  else await visit.click("[data-group]");
  await visit.page.waitForURL((url) => url.pathname === `/attempts/${id}`);
  await seesError(visit, id);
  expect(visit.actions).toBe(1);
  await visit.page.goBack();
  await visit.page.waitForSelector("[data-group][data-chosen]");
  const found = await new AxeBuilder({ page: visit.page }).analyze();
  expect(found.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  await visit.close();
});

test("links of alerts and of sessions lead to the same place, and text of logs stays text", async () => {
  const id = await failed();
  const alert = await Visit.open(browser, `${server.address}/attempts/${id}/go?task=${orders}&to=error`);
  await seesError(alert, id);
  await alert.page.locator("[role=log]").focus();
  await alert.press("Control+f");
  await alert.page.keyboard.type("onerror=");
  await alert.page.waitForSelector("[data-match=now]");
  expect(await alert.page.locator("[data-match=now]").textContent()).toContain("<script>document.title=2</script>");
  expect(await alert.page.title()).toMatch(/^error/);
  await alert.close();
  const { sessionId } = await api<{ sessionId: string }>(`attempts/${id}`);
  const session = await Visit.open(browser, `${server.address}/sessions/${sessionId}`);
  await seesError(session, id);
  await session.close();
});

test("run again from here by keyboard: what ran is what the preview listed", async () => {
  const id = await failed();
  const visit = await Visit.open(browser, `${server.address}/attempts/${id}`);
  await seesError(visit, id);
  writeFileSync(mended, "");
  await visit.press("r");
  const names = await listed(visit);
  await visit.press("Control+Enter");
  const again = await newer(visit, id);
  expect(visit.actions).toBeLessThanOrEqual(3);
  expect((await ended(again)).status).toBe("success");
  expect(names).toContain(orders);
  expect(names).not.toContain("+daily+prepare");
  expect(await ran(again)).toEqual(names);
  await visit.page.waitForFunction(() => document.title.startsWith("success"));
  await visit.close();
});

test("run again from here by mouse", async () => {
  const id = await failed();
  const visit = await Visit.open(browser, `${server.address}/attempts/${id}`);
  await seesError(visit, id);
  writeFileSync(mended, "");
  await visit.click("text=Run from here…");
  const names = await listed(visit);
  await visit.click("dialog button[type=submit]");
  const again = await newer(visit, id);
  expect(visit.actions).toBeLessThanOrEqual(3);
  expect((await ended(again)).status).toBe("success");
  expect(await ran(again)).toEqual(names);
  await visit.close();
});

test("what runs is followed as it happens, and is killed after a look at what that stops", async () => {
  const id = await start("slow");
  const visit = await Visit.open(browser, `${server.address}/attempts/${id}?task=%2Bslow%2Bwork`);
  await visit.page.waitForSelector("[data-line] >> text=/^tick 12$/");
  await visit.press("Shift+K");
  await visit.page.waitForSelector("dialog li >> text=+slow+work");
  await visit.press("Control+Enter");
  await visit.page.waitForFunction(() => document.title.startsWith("killed"));
  expect((await ended(id)).status).toBe("killed");
  await visit.close();
});

test("the page has no flaw that axe knows, light and dark", async () => {
  const id = await failed();
  for (const colorScheme of ["light", "dark"] as const) {
    const visit = await Visit.open(browser, `${server.address}/attempts/${id}`, { colorScheme });
    await seesError(visit, id);
    const found = await new AxeBuilder({ page: visit.page }).analyze();
    expect(found.violations.map((flaw) => `${flaw.id}: ${flaw.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
    await visit.press("r");
    await listed(visit);
    const dialog = await new AxeBuilder({ page: visit.page }).include("dialog").analyze();
    expect(dialog.violations.map((flaw) => `${flaw.id}: ${flaw.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
    await visit.close();
  }
});

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Complaints, openBrowser } from "./browser";
import { TestProxy, TestServer } from "./server";

let browser: Browser;
let server: TestServer;
let proxy: TestProxy;

beforeAll(async () => {
  browser = await openBrowser();
  server = await TestServer.start("ann", "secret-of-ann");
  proxy = await TestProxy.start(server.address, "/a/b");
  await server.push("etl", { "daily.dig": "+load:\n  sh>: sleep 600\n", "hello.dig": "+hi:\n  echo>: hi\n" });
  await server.trowel("start", "etl", "daily", "--session", "2026-11-20");
});

afterAll(async () => {
  proxy?.stop();
  await browser?.close();
  await server?.stop();
});

test("below a path of a proxy one signs in, sees what runs, and what starts while one looks", async () => {
  const origin = new URL(proxy.address).origin;
  const context = await browser.newContext();
  const complaints = new Complaints();
  const page = await complaints.open(context, origin);
  await page.goto(`${proxy.address}/sessions?unit=attempt`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();

  await page.getByLabel("User", { exact: true }).fill("ann");
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Password", { exact: true }).fill("secret-of-ann");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "daily" }).waitFor();
  expect(page.url()).toBe(`${proxy.address}/sessions?unit=attempt`);
  await page.locator("header [data-state=live]").waitFor();

  // Tabs share one stream, and all of them hear what happens.
  const other = await complaints.open(context, origin);
  await other.goto(`${proxy.address}/sessions`);
  await other.getByRole("link", { name: "daily" }).waitFor();
  await other.locator("header [data-state=live]").waitFor();
  await expect.poll(() => proxy.streams).toBe(1);

  await server.trowel("start", "etl", "hello", "--session", "2026-11-21");
  for (const tab of [page, other]) await tab.locator("tr", { hasText: "hello" }).getByText("success").waitFor();

  // Files, the worker and the stream come from below the path too; nothing else was asked.
  expect(complaints.list).toEqual([]);
  await context.close();
});

test("an address that is none says so, with status 404, and the palette leads on", async () => {
  const context = await browser.newContext();
  const complaints = new Complaints();
  const page = await complaints.open(context, new URL(proxy.address).origin);
  const answer = await page.goto(`${proxy.address}/no/such/page`);
  expect(answer?.status()).toBe(404);
  await page.getByRole("heading", { name: "There is no page at this address" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Words" }).fill("help");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Help", exact: true }).waitFor();
  expect(page.url()).toBe(`${proxy.address}/help`);
  expect(complaints.list).toEqual([]);
  await context.close();
});

test("the theme that a person chose is in the page from its first byte on", async () => {
  const context = await browser.newContext({ colorScheme: "light" });
  const page = await context.newPage();
  await page.goto(`${proxy.address}/settings`);
  await page.getByRole("main").getByRole("radio", { name: "Dark" }).check({ force: true });
  expect(await (await page.reload())?.text()).toContain('<html lang="en" data-theme="dark">');
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe("rgb(20, 23, 28)");
  await context.close();
});

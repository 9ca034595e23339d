import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { Complaints } from "./browser";

/** A page that counts what a person does, and notes what must never happen. */
export class Visit {
  readonly page: Page;
  actions = 0;
  private readonly complaints: Complaints;

  private constructor(page: Page, complaints: Complaints) {
    this.page = page;
    this.complaints = complaints;
  }

  static async open(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const complaints = new Complaints();
    const page = await complaints.open(context, new URL(address).origin);
    page.setDefaultTimeout(15_000);
    const answer = await page.goto(address);
    expect(answer?.headers()["content-security-policy"]).toContain("default-src 'none'");
    return new Visit(page, complaints);
  }

  /** Presses keys at the same time, which counts once. */
  async press(keys: string): Promise<void> {
    this.actions++;
    await this.page.keyboard.press(keys);
  }

  async click(selector: string): Promise<void> {
    this.actions++;
    await this.page.click(selector);
  }

  /** Ends the visit. It fails if anything happened that must not. */
  async close(): Promise<void> {
    await this.page.context().close();
    expect(this.complaints.list).toEqual([]);
  }
}

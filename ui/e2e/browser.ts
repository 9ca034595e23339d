import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const program = process.env.CHROMIUM ?? "/usr/bin/chromium";

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
}

/** What went wrong in pages: scripts that failed, what the policy stopped, and requests to others than the server. */
export class Complaints {
  readonly list: string[] = [];

  /** Opens a page that is watched. An answer that is no success is no complaint: tests expect some. */
  async open(context: BrowserContext, origin: string): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => this.list.push(`script: ${error.message}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !message.text().startsWith("Failed to load resource"))
        this.list.push(message.text());
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin) this.list.push(`request to ${url.origin}`);
    });
    return page;
  }
}

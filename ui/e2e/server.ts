import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const program = join(import.meta.dirname, "../../bin/trowel");
const run = promisify(execFile);

/** A server of a test, with a folder of its own. */
export class TestServer {
  readonly address: string;
  private readonly dir: string;
  private readonly child: ChildProcess;
  private readonly credentials: readonly string[];

  private constructor(dir: string, child: ChildProcess, address: string, credentials: readonly string[]) {
    this.dir = dir;
    this.child = child;
    this.address = address;
    this.credentials = credentials;
  }

  /** Starts a server that asks for a sign-in if it is given a user and a password. */
  static async start(user?: string, password?: string): Promise<TestServer> {
    const dir = mkdtempSync(join(tmpdir(), "trowel-ui-"));
    const settings = join(dir, "server.properties");
    const key = "server.authenticator.basic";
    writeFileSync(settings, user ? `${key}.username = ${user}\n${key}.password = ${password}\n` : "");
    const child = spawn(program, ["server", "-o", join(dir, "data"), "--port", "0", "-c", settings], { stdio: ["ignore", "pipe", "pipe"] });
    const address = await new Promise<string>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr]) {
        createInterface(output).on("line", (line) => {
          const found = /Web UI: (http:\S+)\/$/.exec(line)?.[1];
          if (found) resolve(found);
        });
      }
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return new TestServer(dir, child, address, user ? ["--basic-auth", `${user}:${password}`] : []);
  }

  /** Runs a command against the server. */
  async trowel(...args: string[]): Promise<string> {
    const { stdout } = await run(program, [...args, "-e", this.address, ...this.credentials], { cwd: this.dir });
    return stdout;
  }

  /** Pushes a project of some files. */
  async push(project: string, files: Readonly<Record<string, string>>): Promise<void> {
    const folder = mkdtempSync(join(this.dir, "project-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await this.trowel("push", project, "--project", folder);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(timer);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A proxy that has a server below a path, which it takes off. It counts the streams of events that are open. */
export class TestProxy {
  streams = 0;
  readonly address: string;
  private readonly server: Server;

  private constructor(server: Server, address: string) {
    this.server = server;
    this.address = address;
  }

  static async start(target: string, prefix: string): Promise<TestProxy> {
    const server = createServer((asked, answer) => {
      if (!asked.url?.startsWith(`${prefix}/`)) {
        answer.writeHead(418).end();
        return;
      }
      const path = asked.url.slice(prefix.length);
      if (path.startsWith("/api/events")) {
        proxy.streams++;
        answer.once("close", () => proxy.streams--);
      }
      const passed = request(target + path, { method: asked.method, headers: asked.headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      answer.on("close", () => passed.destroy());
      asked.pipe(passed);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = new TestProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`);
    return proxy;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

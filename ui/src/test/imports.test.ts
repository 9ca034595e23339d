import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "..");

// Who may import whom, besides files of the same folder. What is in `ground` belongs to all.
const ground = ["api", "base", "state", "time", "plot", "styles"];
const rules: Readonly<Record<string, readonly string[]>> = {
  api: ["time", "live"],
  time: [],
  state: [],
  plot: ["state", "time"],
  base: ["api", "state", "time", "live"],
  live: ["api"],
  styles: [],
  tree: [...ground, "live"],
  waterfall: ground,
  graph: ground,
  log: [...ground, "live"],
  code: ground,
  diff: ground,
  forms: ground,
  frame: [...ground, "live"],
  pages: [...ground, "live", "tree", "waterfall", "graph", "log", "code", "diff", "forms", "frame"],
};

test("folders import only what is below them, and pages never each other", () => {
  const wrong: string[] = [];
  for (const folder of readdirSync(source, { withFileTypes: true })) {
    if (!folder.isDirectory() || folder.name === "test") continue;
    const allowed = rules[folder.name];
    expect(allowed, `folder ${folder.name} has no rule`).toBeDefined();
    for (const file of readdirSync(join(source, folder.name))) {
      if (!/\.tsx?$/.test(file) || file.endsWith(".test.ts")) continue;
      const text = readFileSync(join(source, folder.name, file), "utf8");
      for (const [, path = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"?]*)/g)) {
        const other = /^\.\.\/([a-z]+)\//.exec(path)?.[1];
        if (other !== undefined && !allowed?.includes(other)) wrong.push(`${folder.name}/${file} imports ${path}`);
        if (other === undefined && path.startsWith("../")) wrong.push(`${folder.name}/${file} imports ${path}`);
        if (
          folder.name === "pages" &&
          path.startsWith("./") &&
          /^\.\/[A-Z]/.test(path) &&
          !path.endsWith(".css") &&
          !inFamily(file, path)
        ) {
          wrong.push(`page ${file} imports page ${path}`);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});

/** Parts of one page have names that begin with that of the page. */
function inFamily(file: string, path: string): boolean {
  const page = /^[A-Z][a-z]+/.exec(file)?.[0] ?? "";
  return path.startsWith(`./${page}`);
}

// Compares the sizes of what is built with their limits: figure, limit, ratio.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = process.argv[2];
const names = readdirSync(join(dist, "assets"));
const packed = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
const page = readFileSync(join(dist, "index.html"), "utf8");
const first = names.filter((name) => page.includes(name) || name.startsWith("worker-"));
const sum = (list, size) => list.reduce((total, name) => total + size(name), 0);
const asset = (name) => packed(join("assets", name));

// The scripts of the first page are those that the page names, the worker, and the largest page.
const scripts = first.filter((name) => name.endsWith(".js"));
const lazy = names.filter((name) => name.endsWith(".js") && !scripts.includes(name));
const editor = lazy.filter((name) => name.startsWith("code-"));
const largest = Math.max(0, ...lazy.filter((name) => !editor.includes(name)).map(asset));
const whole = statSync(join(dist, "index.html")).size + sum(names, (name) => statSync(join(dist, "assets", name)).size);

const rows = [
  ["JavaScript of the first page, gzip", sum(scripts, asset) + largest, 180_000],
  [
    "CSS, gzip",
    sum(
      names.filter((name) => name.endsWith(".css")),
      asset,
    ),
    15_000,
  ],
  ["largest page or lazy part, gzip", largest, 60_000],
  ["viewer of files and differences, gzip", sum(editor, asset), 145_000],
  ["dist, uncompressed", whole, 2_000_000],
  ["fonts", names.filter((name) => /\.(woff2?|ttf|otf)$/.test(name)).length, 0],
  // The page itself, what it names, a part for the page, and two questions to the server. The worker belongs to the stream.
  ["requests of the first page", 1 + first.filter((name) => !name.startsWith("worker-")).length + 1 + 2, 8],
];
let over = false;
for (const [what, figure, limit] of rows) {
  const ratio = limit === 0 ? (figure === 0 ? 0 : Number.POSITIVE_INFINITY) : figure / limit;
  over ||= figure > limit;
  console.log(
    `${figure > limit ? "OVER" : "ok  "} ${what.padEnd(36)} ${String(figure).padStart(9)} of ${String(limit).padStart(9)}  ${ratio.toFixed(2)}`,
  );
}
if (over) {
  console.error("the web UI is larger than its budget");
  process.exit(1);
}

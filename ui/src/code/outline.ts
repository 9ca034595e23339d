/** A task of a workflow file, where it is written. */
export interface Outlined {
  readonly name: string;
  readonly depth: number;
  readonly line: number; // from 1
}

/** The tasks of a workflow file in their order, found by how they are indented. Blocks of text in the file have no tasks. */
export function outlineOf(source: string): readonly Outlined[] {
  const list: Outlined[] = [];
  const above: number[] = []; // indents of the tasks around
  let block: number | undefined; // indent of the key whose text goes on
  source.split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    const indent = line.length - line.trimStart().length;
    if (block !== undefined && indent > block) return;
    block = /:\s*[|>][-+\d]*\s*(#.*)?$/.test(line) ? indent : undefined;
    const found = /^\s*(["']?)(\+[^:"']+)\1\s*:(\s|$)/.exec(line);
    if (!found?.[2]) return;
    while (above.length > 0 && (above.at(-1) ?? 0) >= indent) above.pop();
    list.push({ name: found[2].trim(), depth: above.length, line: i + 1 });
    above.push(indent);
  });
  return list;
}

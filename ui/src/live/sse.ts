/** One event of a stream of server-sent events. */
export interface Frame {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

/** Splits a stream into events, in whatever pieces its text comes. */
export class FrameReader {
  private rest = "";
  private id = "";
  private name = "";
  private data: string[] = [];

  /** Takes a piece of text and returns the events that are complete with it. */
  read(piece: string): Frame[] {
    const frames: Frame[] = [];
    const lines = (this.rest + piece).split("\n");
    this.rest = lines.pop() ?? "";
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        if (this.data.length > 0) frames.push({ id: this.id, name: this.name || "message", data: this.data.join("\n") });
        this.name = "";
        this.data = [];
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue; // a comment, which keeps proxies from closing
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
      if (field === "id") this.id = value;
      else if (field === "event") this.name = value;
      else if (field === "data") this.data.push(value);
    }
    return frames;
  }
}

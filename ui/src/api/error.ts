/** An answer that is no success, or none at all (status 0). */
export class CallError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly hint: string | undefined;
  readonly reference: string | undefined;
  readonly path: string;
  readonly text: string; // of the answer, which may be a document of another kind

  constructor(path: string, status: number, body: ErrorBody, text = "") {
    super(body.message ?? wordsOf(status));
    this.path = path;
    this.status = status;
    this.text = text;
    this.code = body.code;
    this.hint = body.hint;
    this.reference = body.ref;
  }

  /** What a person sends to those who run the server. */
  get details(): string {
    const lines = [this.message, `${this.status || "no answer"} from ${this.path}`];
    if (this.code) lines.push(`code ${this.code}`);
    if (this.reference) lines.push(`reference ${this.reference}`);
    return `${lines.join("\n")}\n`;
  }
}

export interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly ref?: string;
}

/** Reads the body of an error, which a proxy in front of the server may have written in its own way. */
export function readErrorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return {};
    const field = (name: string) => {
      const value = (body as Record<string, unknown>)[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    return { message: field("message"), code: field("code"), hint: field("hint"), ref: field("ref") };
  } catch {
    return {};
  }
}

function wordsOf(status: number): string {
  switch (status) {
    case 0:
      return "the server does not answer";
    case 401:
      return "the server asks for a sign-in";
    case 403:
      return "you may not see this";
    case 404:
      return "there is no such thing, or you may not see it";
    case 429:
      return "the server asks to wait: too many requests";
    case 502:
    case 503:
    case 504:
      return "the server is not reachable, or is stopping";
    default:
      return `the server answered ${status}`;
  }
}

import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Lines } from "./lines";

// This part is read when the first file is shown. Its styles are constructed sheets of a shadow root, as the page's policy admits no
// others.

const most = 1_000_000; // characters of a text that is coloured

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--ansi-5)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.attributeName, tags.labelName], color: "var(--ansi-4)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ansi-2)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--ansi-3)" },
  { tag: [tags.comment, tags.meta], color: "var(--ink-3)" },
  { tag: [tags.typeName, tags.className, tags.function(tags.variableName)], color: "var(--ansi-6)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--ground)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "18px" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--ink-3)", borderInlineEnd: "1px solid var(--line)" },
  ".cm-lineNumbers .cm-gutterElement": { cursor: "pointer", padding: "0 8px 0 16px" },
  ".cm-marked": { backgroundColor: "var(--mark)" },
  ".cm-panels": { backgroundColor: "var(--ground-2)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--ground)", border: "1px solid var(--line-2)", color: "var(--ink)", fontSize: "13px" },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--ground)",
    border: "1px solid var(--line-2)",
    color: "var(--ink)",
    fontSize: "13px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--mark)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--mark-now)" },
  ".cm-specialChar": { color: "var(--ansi-1)" },
  ".cm-collapsedLines": { background: "var(--ground-2)", color: "var(--ink-2)", paddingInlineStart: "16px" },
  ".cm-collapsedLines:before": { content: '"⋯"' },
  ".cm-collapsedLines:after": { content: '""' },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--removed)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--added)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--removed-2)" },
  "&.cm-merge-b .cm-changedText": { background: "var(--added-2)" },
});

async function languageOf(path: string, length: number): Promise<Extension> {
  if (length > most) return [];
  if (/\.(dig|ya?ml)$/i.test(path)) return yaml();
  if (/\.(sql|py|json)$/i.test(path)) return (await import("./languages")).languageOf(path);
  return [];
}

/** Hidden and confusing characters, among them those that change the order of text, are shown as marks. */
const characters = highlightSpecialChars({ addSpecialChars: /[\u202a-\u202e\u2066-\u2069\u061c]/ });

function common(label: string, wrap: boolean, language: Extension): Extension {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
    characters,
    search({ top: true }),
    keymap.of(searchKeymap),
    syntaxHighlighting(colours),
    look,
    language,
    wrap ? EditorView.lineWrapping : [],
  ];
}

function rootOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.replaceChildren();
  return root;
}

const mark = StateEffect.define<Lines | undefined>();
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(mark)) continue;
      const lines = effect.value;
      if (!lines) return Decoration.none;
      const { doc } = transaction.state;
      const list = [];
      for (let n = Math.max(1, lines.from); n <= Math.min(lines.to, doc.lines); n++) {
        list.push(Decoration.line({ class: "cm-marked" }).range(doc.line(n).from));
      }
      return Decoration.set(list);
    }
    return before;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export interface Shown {
  readonly mark: (lines: Lines | undefined, scroll: boolean) => void;
  readonly next: (step: 1 | -1) => void;
  readonly destroy: () => void;
}

/** Shows a file. */
export async function showFile(
  host: HTMLElement,
  path: string,
  text: string,
  wrap: boolean,
  onLine: (line: number, extend: boolean) => void,
): Promise<Shown> {
  const language = await languageOf(path, text.length);
  const root = rootOf(host);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers({
          domEventHandlers: {
            mousedown(view, line, event) {
              onLine(view.state.doc.lineAt(line.from).number, event instanceof MouseEvent && event.shiftKey);
              return true;
            },
          },
        }),
        marked,
        EditorView.theme({ "&": { height: "100%" } }),
        common(path, wrap, language),
      ],
    }),
  });
  return {
    mark(lines, scroll) {
      const effects: StateEffect<unknown>[] = [mark.of(lines)];
      if (lines && scroll) {
        const at = view.state.doc.line(Math.min(Math.max(1, lines.from), view.state.doc.lines)).from;
        effects.push(EditorView.scrollIntoView(at, { y: "center" }));
      }
      view.dispatch({ effects });
    },
    next: () => {},
    destroy: () => view.destroy(),
  };
}

/** Shows how a file has changed, in one column or side by side. What is the same is folded. */
export async function showDiff(
  host: HTMLElement,
  path: string,
  before: string,
  after: string,
  side: boolean,
  wrap: boolean,
): Promise<Shown> {
  const language = await languageOf(path, Math.max(before.length, after.length));
  const root = rootOf(host);
  const extensions = [lineNumbers(), common(path, wrap, language)];
  const fold = { margin: 3, minSize: 6 };
  const limit = { scanLimit: 2000, timeout: 1000 };
  if (side) {
    const merge = new MergeView({
      a: { doc: before, extensions },
      b: { doc: after, extensions },
      root,
      parent: root,
      collapseUnchanged: fold,
      gutter: true,
      diffConfig: limit,
    });
    // Heights that were measured before the sheets were in force are measured again.
    requestAnimationFrame(() => {
      merge.a.requestMeasure();
      merge.b.requestMeasure();
    });
    return { mark: () => {}, next: (step) => (step > 0 ? goToNextChunk : goToPreviousChunk)(merge.b), destroy: () => merge.destroy() };
  }
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: after,
      extensions: [
        ...extensions,
        unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: fold, diffConfig: limit }),
      ],
    }),
  });
  return { mark: () => {}, next: (step) => (step > 0 ? goToNextChunk : goToPreviousChunk)(view), destroy: () => view.destroy() };
}

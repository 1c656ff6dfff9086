import { defaultKeymap, history, historyField, historyKeymap } from '@codemirror/commands';
import { markdown } from '@codemirror/lang-markdown';
import { bracketMatching, indentOnInput, syntaxTree } from '@codemirror/language';
import { Compartment, EditorState, type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  keymap,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { referencePattern } from './references.ts';

export interface MarkdownViewOptions {
  parent: ShadowRoot;
  text: string;
  /** What `remember` gave; used when its text is still the same. */
  memory: unknown;
  label: string;
  readOnly: boolean;
  placeholder: string;
  declared: readonly string[];
  onChange: (text: string) => void;
}

export interface MarkdownView {
  setText(text: string): void;
  setDeclared(names: readonly string[]): void;
  remember(): unknown;
  destroy(): void;
}

export function createMarkdownView(options: MarkdownViewOptions): MarkdownView {
  const references = new Compartment();
  let shown = options.text;
  const extensions = [
    history(),
    drawSelection(),
    dropCursor(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    markdown(),
    markdownLook,
    theme,
    placeholder(options.placeholder),
    references.of(referenceLook(options.declared)),
    // Tab is left to the browser: it must lead out of the editor.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorState.readOnly.of(options.readOnly),
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      'aria-readonly': String(options.readOnly),
      spellcheck: 'true',
      autocapitalize: 'sentences',
    }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const text = update.state.doc.toString();
      if (text === shown) return;
      shown = text;
      options.onChange(text);
    }),
  ];
  const view = new EditorView({
    state: recall(options, extensions) ?? EditorState.create({ doc: options.text, extensions }),
    parent: options.parent,
    root: options.parent,
  });
  return {
    setText(text) {
      if (text === shown) return;
      shown = text;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setDeclared(names) {
      view.dispatch({ effects: references.reconfigure(referenceLook(names)) });
    },
    remember: () => ({ text: shown, state: view.state.toJSON({ history: historyField }) }),
    destroy: () => view.destroy(),
  };
}

function recall(options: MarkdownViewOptions, extensions: Extension): EditorState | undefined {
  const { memory } = options;
  if (typeof memory !== 'object' || memory === null || !('text' in memory) || !('state' in memory)) return undefined;
  if (memory.text !== options.text) return undefined;
  try {
    return EditorState.fromJSON(memory.state, { extensions }, { history: historyField });
  } catch {
    // Only the undo history is lost.
    return undefined;
  }
}

function referenceLook(declared: readonly string[]): Extension {
  const known = new Set(declared);
  const good = Decoration.mark({ class: 'zoo-argument', attributes: { title: 'Filled in with the argument' } });
  const unknown = Decoration.mark({
    class: 'zoo-undeclared',
    attributes: { title: 'No argument has this name; the text stays as it is' },
  });
  const matcher = new MatchDecorator({
    regexp: new RegExp(referencePattern),
    decoration: (match) => (known.has(match[1] ?? '') ? good : unknown),
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = matcher.createDeco(view);
      }
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

/** Class by node of the Markdown tree. */
const looks: Record<string, string> = {
  ATXHeading1: 'zoo-heading',
  ATXHeading2: 'zoo-heading',
  ATXHeading3: 'zoo-heading',
  ATXHeading4: 'zoo-heading',
  ATXHeading5: 'zoo-heading',
  ATXHeading6: 'zoo-heading',
  SetextHeading1: 'zoo-heading',
  SetextHeading2: 'zoo-heading',
  StrongEmphasis: 'zoo-strong',
  Emphasis: 'zoo-emphasis',
  InlineCode: 'zoo-code',
  FencedCode: 'zoo-code',
  CodeBlock: 'zoo-code',
  Link: 'zoo-link',
  URL: 'zoo-link',
  Blockquote: 'zoo-quote',
  HeaderMark: 'zoo-mark',
  ListMark: 'zoo-mark',
  EmphasisMark: 'zoo-mark',
  QuoteMark: 'zoo-mark',
  CodeMark: 'zoo-mark',
  LinkMark: 'zoo-mark',
  HorizontalRule: 'zoo-mark',
  HTMLTag: 'zoo-code',
  Comment: 'zoo-mark',
};
const marks = new Map(Object.entries(looks).map(([name, className]) => [name, Decoration.mark({ class: className })]));

const markdownLook = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state)) {
        this.decorations = decorate(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = marks.get(node.name);
        if (mark && node.to > node.from) builder.add(Math.max(node.from, from), Math.min(node.to, to), mark);
      },
    });
  }
  return builder.finish();
}

/** Colours come from the app's own variables, so that both themes work. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'transparent', borderRadius: 'inherit' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'inherit', fontSize: '0.8125rem', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '0.875rem 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 1rem' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-placeholder': { color: 'var(--faint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--pressed)' },
  '.zoo-heading': { fontWeight: '700', color: 'var(--accent-text)' },
  '.zoo-strong': { fontWeight: '700' },
  '.zoo-emphasis': { fontStyle: 'italic' },
  '.zoo-code': { color: 'var(--violet)' },
  '.zoo-link': { color: 'var(--info)' },
  '.zoo-quote': { color: 'var(--muted)' },
  '.zoo-mark': { color: 'var(--faint)', fontWeight: '400' },
  '.zoo-argument': {
    color: 'var(--accent-text)',
    backgroundColor: 'var(--accent-soft)',
    borderRadius: '4px',
    padding: '1px 2px',
    margin: '0 -2px',
  },
  '.zoo-undeclared': { textDecoration: 'underline dotted var(--warn)', textUnderlineOffset: '3px' },
  '@media (pointer: coarse)': { '.cm-scroller': { fontSize: '16px' } },
});

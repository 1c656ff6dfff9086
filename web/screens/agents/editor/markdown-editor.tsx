import { markdown } from '@codemirror/lang-markdown';
import { indentOnInput, syntaxTree } from '@codemirror/language';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { type RefObject, useMemo } from 'react';
import { TextEditor } from '../../../parts/text-editor/text-editor.tsx';
import { referencePattern } from './references.ts';

export interface MarkdownEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  /** The declared arguments; other names in braces get a subtle mark. */
  declared: readonly string[];
  placeholder: string;
  /** Keeps the undo history while another tab is open. */
  memory: RefObject<unknown>;
  className?: string;
}

export function MarkdownEditor({ declared, ...rest }: MarkdownEditorProps) {
  const names = declared.join('\n');
  const extra = useMemo(() => referenceLook(names.split('\n')), [names]);
  return <TextEditor {...rest} isProse language={markdownLanguage} extra={extra} testId="prompt-editor" />;
}

/** Marks names in braces: declared arguments clearly, others subtly. */
function referenceLook(declared: readonly string[]): Extension {
  const known = new Set(declared);
  const declaredMark = Decoration.mark({ class: 'zoo-argument', attributes: { title: 'Replaced with the argument' } });
  const undeclaredMark = Decoration.mark({
    class: 'zoo-undeclared',
    attributes: { title: 'Not a declared argument: stays as text' },
  });
  const matcher = new MatchDecorator({
    regexp: new RegExp(referencePattern),
    decoration: (match) => (known.has(match[1] ?? '') ? declaredMark : undeclaredMark),
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

/** CSS classes by Markdown node. */
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

/** Uses the app's color variables, so that both themes work. */
const look = EditorView.theme({
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
});

const markdownLanguage: Extension = [indentOnInput(), markdown(), markdownLook, look];

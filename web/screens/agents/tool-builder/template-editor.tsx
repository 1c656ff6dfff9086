import { type Extension, Facet, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { useMemo } from 'react';
import { readTemplate } from '../../../../src/agents/exposes/fill-template.ts';
import { typesOf } from '../../../../src/agents/exposes/schema-views.ts';
import { resolveReference, type TemplateTool } from '../../../../src/agents/exposes/template-values.ts';
import { TextEditor, type TextEditorProps } from '../../../parts/text-editor/text-editor.tsx';
import { offeredWords } from './offered-words.ts';
import { completion } from './template-completion.ts';
import { templateWords } from './template-words.ts';

type TemplateEditorProps = Pick<
  TextEditorProps,
  'label' | 'value' | 'onChange' | 'readOnly' | 'placeholder' | 'isInvalid'
> & { tool: TemplateTool };

export function TemplateEditor({ tool, ...rest }: TemplateEditorProps) {
  const { name, description, version, parameters } = tool;
  // Not the tool itself: it changes with each keystroke in the prompt.
  const extra = useMemo(
    () => templateOf({ name, description, version, parameters }),
    [name, description, version, parameters],
  );
  return (
    <TextEditor
      {...rest}
      isProse
      language={templateLanguage}
      extra={extra}
      className="flex max-h-96 min-h-36 flex-col rounded-xl"
    />
  );
}

const shownTool = Facet.define<TemplateTool, TemplateTool | undefined>({ combine: ([tool]) => tool });

/** Provides the tool that references are checked against. */
function templateOf(tool: TemplateTool): Extension {
  return [shownTool.of(tool), offeredWords.of(templateWords(tool))];
}

const marks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.startState.facet(shownTool) !== update.state.facet(shownTool)) {
        this.decorations = decorate(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorate({ state }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const tool = state.facet(shownTool);
  for (const { from, to, kind, title } of tool ? markTemplate(state.doc.toString(), tool) : []) {
    builder.add(from, to, Decoration.mark({ class: `zoo-${kind}`, attributes: { title } }));
  }
  return builder.finish();
}

const look = EditorView.theme({
  '.zoo-known': {
    color: 'var(--accent-text)',
    backgroundColor: 'var(--accent-soft)',
    borderRadius: '4px',
    padding: '1px 2px',
    margin: '0 -2px',
  },
  '.zoo-unknown': {
    color: 'var(--danger)',
    backgroundColor: 'var(--danger-soft)',
    borderRadius: '4px',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '3px',
  },
  '.zoo-escaped': { color: 'var(--violet)' },
});

const templateLanguage: Extension = [marks, look, completion];

/** A part of a template to highlight. */
interface TemplateMark {
  from: number;
  to: number;
  kind: 'known' | 'unknown' | 'escaped';
  /** What it refers to, or what is wrong. */
  title: string;
}

export function markTemplate(template: string, tool: TemplateTool): TemplateMark[] {
  const marks: TemplateMark[] = [];
  let at = 0;
  for (const piece of readTemplate(template)) {
    if (piece.kind === 'reference') {
      const resolved = resolveReference(piece.path, tool);
      const title = resolved.kind === 'unknown' ? resolved.problem : titleOf(resolved);
      marks.push({ from: piece.from, to: piece.to, kind: resolved.kind === 'unknown' ? 'unknown' : 'known', title });
      at = piece.to;
    } else if (piece.kind === 'brace') {
      marks.push({
        from: at,
        to: at + 1,
        kind: 'unknown',
        title: `Write ${piece.text}${piece.text} for a literal brace.`,
      });
      at += 1;
    } else {
      // A literal brace is written twice; other text has none.
      const isEscaped = piece.text === '{' || piece.text === '}';
      if (isEscaped) marks.push({ from: at, to: at + 2, kind: 'escaped', title: `A literal “${piece.text}”` });
      at += isEscaped ? 2 : piece.text.length;
    }
  }
  return marks;
}

function titleOf(resolved: Exclude<ReturnType<typeof resolveReference>, { kind: 'unknown' }>): string {
  if (resolved.kind === 'tool') return `The tool’s ${resolved.key}`;
  const { views } = resolved;
  const description = views.find((view) => view.description)?.description;
  return [[...typesOf(views)].join(' or ') || 'Any value', description].filter(Boolean).join(': ');
}

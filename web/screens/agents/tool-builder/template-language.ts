import { type Extension, Facet, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { TemplateTool } from '../../../../src/agents/exposes/template-values.ts';
import { markTemplate } from './mark-template.ts';
import { offeredWords } from './offered-words.ts';
import { completion } from './template-completion.ts';
import { templateWords } from './template-words.ts';

const shownTool = Facet.define<TemplateTool, TemplateTool | undefined>({ combine: ([tool]) => tool });

/** What the references of a template are checked against. */
export function templateOf(tool: TemplateTool): Extension {
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

export const templateLanguage: Extension = [marks, look, completion];

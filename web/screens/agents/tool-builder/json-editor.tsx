import type { Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { TextEditor, type TextEditorProps } from '../../../parts/text-editor/text-editor.tsx';

type JsonEditorProps = Pick<TextEditorProps, 'label' | 'value' | 'onChange' | 'readOnly' | 'placeholder' | 'isInvalid'>;

const nothing: [] = [];

export function JsonEditor(props: JsonEditorProps) {
  return (
    <TextEditor
      {...props}
      isProse={false}
      language={jsonLanguage}
      extra={nothing}
      className="flex max-h-[min(32rem,64dvh)] min-h-28 flex-col rounded-xl"
    />
  );
}

const looks: Record<string, Decoration> = {
  key: Decoration.mark({ class: 'zoo-key' }),
  text: Decoration.mark({ class: 'zoo-text' }),
  other: Decoration.mark({ class: 'zoo-value' }),
};

const matcher = new MatchDecorator({
  regexp: /"(?:[^"\\]|\\.)*"(?=(\s*:)?)|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false|null)\b/g,
  decoration: ([text, colon]) => looks[text.startsWith('"') ? (colon === undefined ? 'text' : 'key') : 'other'] ?? null,
});

const marks = ViewPlugin.fromClass(
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

const look = EditorView.theme({
  '.cm-scroller': { fontSize: '0.75rem' },
  '.zoo-key': { color: 'var(--info)' },
  '.zoo-text': { color: 'var(--accent-text)' },
  '.zoo-value': { color: 'var(--violet)' },
});

const jsonLanguage: Extension = [marks, look];

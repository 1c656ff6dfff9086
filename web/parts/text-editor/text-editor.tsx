import { defaultKeymap, history, historyField, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, dropCursor, EditorView, highlightActiveLine, keymap, placeholder } from '@codemirror/view';
import { type RefObject, useEffect, useRef } from 'react';
import { classes } from '../../ui/classes.ts';

export interface TextEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  placeholder: string;
  isProse: boolean;
  isInvalid?: boolean;
  /** Must be the same object for the editor's lifetime. */
  language: Extension;
  /** Pass a new object only when its content changes. */
  extra: Extension;
  /** Keeps the undo history while the editor is unmounted. */
  memory?: RefObject<unknown>;
  testId?: string;
  className?: string;
}

/**
 * CodeMirror in a shadow root. There it uses adoptedStyleSheets, which the content security policy allows; in the
 * document it would add a <style> element, which `style-src 'self'` blocks.
 */
export function TextEditor(props: TextEditorProps) {
  const { label, value, onChange, readOnly, placeholder, isProse, isInvalid = false, language, extra, memory } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<TextView | null>(null);
  const latest = useRef({ value, onChange, extra });
  latest.current = { value, onChange, extra };

  useEffect(() => {
    if (!host.current) return;
    const created = createTextView({
      parent: host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' }),
      text: latest.current.value,
      memory: memory?.current,
      label,
      readOnly,
      placeholder,
      isProse,
      language,
      extra: latest.current.extra,
      onChange: (text) => latest.current.onChange(text),
    });
    view.current = created;
    return () => {
      if (memory) memory.current = created.remember();
      created.destroy();
      view.current = null;
    };
  }, [label, readOnly, placeholder, isProse, language, memory]);

  useEffect(() => view.current?.setText(value), [value]);
  useEffect(() => view.current?.setExtra(extra), [extra]);
  useEffect(() => view.current?.setInvalid(isInvalid), [isInvalid]);

  return (
    <div
      ref={host}
      {...(props.testId && { 'data-testid': props.testId })}
      className={classes('min-h-0 font-mono text-sm', props.className)}
    />
  );
}

interface TextViewOptions {
  parent: ShadowRoot;
  text: string;
  /** A value from `remember`; used if its text is unchanged. */
  memory: unknown;
  label: string;
  readOnly: boolean;
  placeholder: string;
  /** Enables spell checking and capitalization. */
  isProse: boolean;
  /** The language, its styles and keys. */
  language: Extension;
  /** Extensions that depend on the surrounding form. */
  extra: Extension;
  onChange: (text: string) => void;
}

interface TextView {
  setText(text: string): void;
  setExtra(extra: Extension): void;
  setInvalid(isInvalid: boolean): void;
  remember(): unknown;
  destroy(): void;
}

/** Creates a CodeMirror view with the app's shared settings. */
function createTextView(options: TextViewOptions): TextView {
  const extra = new Compartment();
  const validity = new Compartment();
  let shown = options.text;
  const extensions = [
    options.language,
    extra.of(options.extra),
    history(),
    drawSelection(),
    dropCursor(),
    bracketMatching(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    theme,
    placeholder(options.placeholder),
    // Tab stays with the browser, so that it leaves the editor.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorState.readOnly.of(options.readOnly),
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      'aria-readonly': String(options.readOnly),
      // Named, although editable text takes the focus anyway: the box around it scrolls.
      tabindex: '0',
      spellcheck: String(options.isProse),
      autocapitalize: options.isProse ? 'sentences' : 'off',
    }),
    validity.of([]),
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
    setExtra(next) {
      view.dispatch({ effects: extra.reconfigure(next) });
    },
    setInvalid(isInvalid) {
      const attributes = isInvalid ? EditorView.contentAttributes.of({ 'aria-invalid': 'true' }) : [];
      view.dispatch({ effects: validity.reconfigure(attributes) });
    },
    remember: () => ({ text: shown, state: view.state.toJSON({ history: historyField }) }),
    destroy: () => view.destroy(),
  };
}

function recall(options: TextViewOptions, extensions: Extension): EditorState | undefined {
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

/** Uses the app's color variables, so that both themes work. */
const theme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'transparent',
    borderRadius: 'inherit',
    // Fills its container, which may grow with the text, and scrolls on overflow.
    flex: '1 1 auto',
    minHeight: '0',
  },
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
  '@media (pointer: coarse)': { '.cm-scroller': { fontSize: '16px' } },
});

import type { Extension } from '@codemirror/state';
import { type RefObject, useEffect, useRef } from 'react';
import { classes } from '../../ui/classes.ts';
import { createTextView, type TextView } from './text-view.ts';

export interface TextEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  placeholder: string;
  isProse: boolean;
  isInvalid?: boolean;
  /** One and the same object for the life of the editor. */
  language: Extension;
  /** A new object when what it says has changed, and only then. */
  extra: Extension;
  /** Keeps the undo history while another tab is shown. */
  memory?: RefObject<unknown>;
  testId?: string;
  className?: string;
}

/**
 * CodeMirror in a shadow root: there it styles itself through adoptedStyleSheets, which a strict
 * `style-src 'self'` allows, while in the document it would add a <style> element.
 */
export function TextEditor(props: TextEditorProps) {
  const { label, value, onChange, readOnly, placeholder, isProse, isInvalid = false, language, extra, memory } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<TextView | null>(null);
  const latest = useRef({ value, onChange, extra });
  latest.current = { value, onChange, extra };

  useEffect(() => {
    if (!host.current) return;
    const made = createTextView({
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
    view.current = made;
    return () => {
      if (memory) memory.current = made.remember();
      made.destroy();
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

import { type RefObject, useEffect, useRef } from 'react';
import { classes } from '../ui/classes.ts';
import { createMarkdownView, type MarkdownView } from './markdown-view.ts';

export interface MarkdownEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  /** Names of arguments; other names in braces are marked softly. */
  declared: readonly string[];
  placeholder: string;
  /** Keeps the undo history while another tab is shown. */
  memory: RefObject<unknown>;
  className?: string;
}

/**
 * CodeMirror in a shadow root: there it styles itself through adoptedStyleSheets, which a strict
 * `style-src 'self'` allows, while in the document it would add a <style> element.
 */
export function MarkdownEditor(props: MarkdownEditorProps) {
  const { label, value, onChange, readOnly, declared, placeholder, memory, className } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView | null>(null);
  const latest = useRef({ value, onChange, declared });
  latest.current = { value, onChange, declared };

  useEffect(() => {
    if (!host.current) return;
    const made = createMarkdownView({
      parent: host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' }),
      text: latest.current.value,
      memory: memory.current,
      label,
      readOnly,
      placeholder,
      declared: latest.current.declared,
      onChange: (text) => latest.current.onChange(text),
    });
    view.current = made;
    return () => {
      memory.current = made.remember();
      made.destroy();
      view.current = null;
    };
  }, [label, readOnly, placeholder, memory]);

  useEffect(() => view.current?.setText(value), [value]);
  const names = declared.join('\n');
  useEffect(() => view.current?.setDeclared(names.split('\n')), [names]);

  return <div ref={host} data-testid="prompt-editor" className={classes('min-h-0 font-mono text-sm', className)} />;
}

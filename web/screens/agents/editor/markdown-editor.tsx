import { type RefObject, useMemo } from 'react';
import { TextEditor } from '../../../parts/text-editor/text-editor.tsx';
import { markdownLanguage, referenceLook } from './markdown-view.ts';

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

export function MarkdownEditor({ declared, ...rest }: MarkdownEditorProps) {
  const names = declared.join('\n');
  const extra = useMemo(() => referenceLook(names.split('\n')), [names]);
  return <TextEditor {...rest} isProse language={markdownLanguage} extra={extra} testId="prompt-editor" />;
}

import { useMemo } from 'react';
import type { TemplateTool } from '../../../../src/agents/exposes/template-values.ts';
import { TextEditor, type TextEditorProps } from '../../../parts/text-editor/text-editor.tsx';
import { templateLanguage, templateOf } from './template-language.ts';

type TemplateEditorProps = Pick<
  TextEditorProps,
  'label' | 'value' | 'onChange' | 'readOnly' | 'placeholder' | 'isInvalid'
> & { tool: TemplateTool };

export function TemplateEditor({ tool, ...rest }: TemplateEditorProps) {
  const { name, description, version, parameters } = tool;
  // Not the tool itself: it changes with each key of the prompt.
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

import { TextEditor, type TextEditorProps } from '../../../parts/text-editor/text-editor.tsx';
import { jsonLanguage } from './json-language.ts';

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

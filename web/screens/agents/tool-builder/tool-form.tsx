import type { FieldIssue } from '../../../../src/base/validate.ts';
import { TextField } from '../../../ui/input.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { MoreSection } from './more-section.tsx';
import type { OfferedTool } from './offered-tools.ts';
import { ParametersSection } from './parameters-section.tsx';
import { PromptSection } from './prompt-section.tsx';

export interface ToolFormProps {
  row: OfferedTool;
  editable: boolean;
  /** Of this tool, by the path inside it; the empty path is the tool as a whole. */
  issues: readonly FieldIssue[];
  change: (change: (row: OfferedTool) => OfferedTool) => void;
}

/** Everything of one tool. */
export function ToolForm({ row, editable, issues, change }: ToolFormProps) {
  const { tool } = row;
  const messageAt = (path: string) => issues.find((issue) => issue.path === path)?.message;
  const messagesAt = (field: string) =>
    issues.filter(({ path }) => path === field || path.startsWith(`${field}.`)).map(({ message }) => message);
  return (
    <div className="flex flex-col gap-6 border-line border-t px-3.5 py-4">
      <div className="flex flex-wrap gap-x-5 gap-y-3">
        <TextField
          label="Name"
          hint="What clients call it: letters, digits, _ . and -."
          error={messageAt('name') ?? messageAt('')}
          value={tool.name}
          readOnly={!editable}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => {
            const name = event.target.value;
            change((before) => ({ ...before, tool: { ...before.tool, name } }));
          }}
          className="flex-[2] basis-56"
          inputClass="font-mono"
        />
        <TextareaField
          label="Description"
          hint="Models decide by it whether they call the tool."
          error={messageAt('description')}
          rows={1}
          value={tool.description}
          readOnly={!editable}
          onChange={(event) => {
            const description = event.target.value;
            change((before) => ({ ...before, tool: { ...before.tool, description } }));
          }}
          className="flex-[3] basis-72"
          inputClass="min-h-8! max-h-40 py-1.5!"
        />
      </div>
      <ParametersSection
        row={row}
        editable={editable}
        refused={row.raw?.problem || row.problems.size > 0 ? [] : messagesAt('parameters')}
        change={change}
      />
      <PromptSection row={row} editable={editable} refused={messagesAt('prompt')} change={change} />
      <MoreSection row={row} editable={editable} issues={issues} change={change} />
    </div>
  );
}

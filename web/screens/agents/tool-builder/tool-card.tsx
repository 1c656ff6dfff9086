import { ChevronDown, CircleAlert, CopyPlus, Ellipsis, FlaskConical, Trash2 } from 'lucide-react';
import { memo, useCallback } from 'react';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';
import { MoreSection } from './more-section.tsx';
import type { OfferedTool } from './offered-tools.ts';
import { ParametersSection } from './parameters-section.tsx';
import { PromptSection } from './prompt-section.tsx';
import { SortableRow } from './sortable-list.tsx';

export interface ToolActions {
  open: (id: string | null) => void;
  change: (id: string, change: (row: OfferedTool) => OfferedTool) => void;
  duplicate: (id: string) => void;
  remove: (id: string) => void;
  test: (id: string) => void;
  /** The name of an added tool has the focus. */
  focused: () => void;
}

export interface ToolCardProps {
  row: OfferedTool;
  isOpen: boolean;
  /** Whether it was just added. */
  isNew: boolean;
  editable: boolean;
  issues: readonly FieldIssue[];
  actions: ToolActions;
}

export const ToolCard = memo(function ToolCard({ row, isOpen, isNew, editable, issues, actions }: ToolCardProps) {
  const { id, tool } = row;
  const label = tool.name || 'unnamed tool';
  const hasProblem = issues.length > 0;
  const change = useCallback((next: (row: OfferedTool) => OfferedTool) => actions.change(id, next), [actions, id]);
  return (
    <SortableRow
      id={id}
      label={label}
      editable={editable}
      className={classes('rounded-card border bg-surface shadow-card', hasProblem ? 'border-danger' : 'border-line')}
    >
      {(handle) => (
        <>
          <div className="flex items-center gap-1 py-1.5 pr-2 pl-1.5">
            {handle}
            <button
              type="button"
              aria-expanded={isOpen}
              data-tool={id}
              onClick={() => actions.open(isOpen ? null : id)}
              className="flex min-w-0 flex-1 items-center gap-2 rounded-lg px-1.5 py-1 text-left hover:bg-hover"
            >
              <span className="min-w-0 flex-1">
                <span className="flex min-w-0 items-center gap-1.5">
                  <span className="truncate font-medium font-mono text-sm">{tool.name || 'Unnamed tool'}</span>
                  {hasProblem && <CircleAlert aria-label="has problems" className="size-3.5 shrink-0 text-danger" />}
                </span>
                {!isOpen && (
                  <span className="block truncate text-muted text-xs">
                    {tool.description || 'No description yet'}
                    <span className="text-faint"> · {parametersOf(row)}</span>
                  </span>
                )}
              </span>
              <ChevronDown
                aria-hidden
                className={classes('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-180')}
              />
            </button>
            <Button
              size="sm"
              aria-label={`Test ${label}`}
              icon={<FlaskConical aria-hidden />}
              onClick={() => actions.test(id)}
            >
              Test
            </Button>
            {editable && (
              <Menu trigger={<IconButton size="sm" label={`Actions for ${label}`} icon={<Ellipsis aria-hidden />} />}>
                <MenuItem icon={<CopyPlus aria-hidden />} onClick={() => actions.duplicate(id)}>
                  Duplicate
                </MenuItem>
                <MenuSeparator />
                <MenuItem danger icon={<Trash2 aria-hidden />} onClick={() => actions.remove(id)}>
                  Remove
                </MenuItem>
              </Menu>
            )}
          </div>
          {isOpen && <ToolForm {...{ row, isNew, editable, issues, change }} onFocused={actions.focused} />}
        </>
      )}
    </SortableRow>
  );
});

function parametersOf({ tool }: OfferedTool): string {
  const { length } = Object.keys(tool.parameters.properties ?? {});
  return length === 0 ? 'no parameters' : length === 1 ? '1 parameter' : `${length} parameters`;
}

interface ToolFormProps {
  row: OfferedTool;
  isNew: boolean;
  onFocused: () => void;
  editable: boolean;
  /** The tool's issues; paths are relative to the tool, and empty for the whole tool. */
  issues: readonly FieldIssue[];
  change: (change: (row: OfferedTool) => OfferedTool) => void;
}

function ToolForm({ row, isNew, onFocused, editable, issues, change }: ToolFormProps) {
  const nameInput = useFocusNew(isNew, onFocused);
  const { tool } = row;
  const messageAt = (path: string) => issues.find((issue) => issue.path === path)?.message;
  const messagesAt = (field: string) =>
    issues.filter(({ path }) => path === field || path.startsWith(`${field}.`)).map(({ message }) => message);
  return (
    <div className="flex flex-col gap-6 border-line border-t px-3.5 py-4">
      <div className="flex flex-wrap gap-x-5 gap-y-3">
        <TextField
          ref={nameInput}
          label="Name"
          hint="Letters, digits, “_”, “.” and “-”."
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
          hint="Helps models decide when to call the tool."
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
        hubMessages={row.raw?.problem || row.problems.size > 0 ? [] : messagesAt('parameters')}
        change={change}
      />
      <PromptSection row={row} editable={editable} hubMessages={messagesAt('prompt')} change={change} />
      <MoreSection row={row} editable={editable} issues={issues} change={change} />
    </div>
  );
}

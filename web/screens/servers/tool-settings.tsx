import { RotateCcw } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { descriptionOf } from '../../../src/servers/remote-tool.ts';
import { serverLimits } from '../../../src/servers/server-definition.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { ToolChange } from '../../api/server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { checkAlias, definitionOf } from './filter-tools.ts';
import { plainInput } from './server-fields.tsx';
import { ToolDefinitionView } from './tool-definition.tsx';

export interface ToolSettingsProps {
  tool: ServerTool;
  onChange: (change: ToolChange) => Promise<unknown>;
}

/** What a person decides about one tool, and what its server says of it. */
export function ToolSettings({ tool, onChange }: ToolSettingsProps) {
  const definition = definitionOf(tool);
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      {tool.status !== 'unusable' && <Decisions tool={tool} onChange={onChange} />}
      <section aria-label="What the server says" className="flex min-w-0 flex-col gap-2.5">
        <h4 className="font-semibold font-sans text-muted text-xs uppercase tracking-wider">What the server says</h4>
        <p className="break-all text-xs">
          <span className="text-faint">Its name there</span> <span className="font-mono">{tool.remoteName}</span>
        </p>
        {definition && <ToolDefinitionView definition={definition} />}
      </section>
    </div>
  );
}

function Decisions({ tool, onChange }: ToolSettingsProps) {
  return (
    <section aria-label="What you decide" className="flex min-w-0 flex-col gap-4">
      <h4 className="font-semibold font-sans text-muted text-xs uppercase tracking-wider">What you decide</h4>
      <TextSetting
        key={`alias ${tool.setting.alias}`}
        tool={tool}
        label="Name"
        saved={tool.setting.alias}
        usual={tool.setting.alias === null ? tool.localName : ''}
        hint="What agents and clients call it. Empty: the usual name."
        check={checkAlias}
        onSave={(alias) => onChange({ alias })}
      />
      <TextSetting
        key={`description ${tool.setting.description}`}
        tool={tool}
        label="Description"
        saved={tool.setting.description}
        usual={descriptionOf(definitionOf(tool))}
        hint="What models read instead of the server’s own words. Empty: those."
        isLong
        onSave={(description) => onChange({ description })}
      />
      <Approval tool={tool} onChange={onChange} />
    </section>
  );
}

interface TextSettingProps {
  tool: ServerTool;
  label: 'Name' | 'Description';
  saved: string | null;
  /** What holds without it. */
  usual: string;
  hint: string;
  isLong?: boolean;
  check?: (text: string) => string | null;
  onSave: (text: string | null) => Promise<unknown>;
}

/** A text of one's own; saved by Enter or the button that appears. */
function TextSetting({ tool, label, saved, usual, hint, isLong = false, check, onSave }: TextSettingProps) {
  const [text, setText] = useState(saved ?? '');
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const wanted = text.trim();
  const problem = check?.(wanted) ?? failure;
  const isChanged = wanted !== (saved ?? '');
  const save = async (next: string | null) => {
    setIsSaving(true);
    try {
      await onSave(next);
    } catch (error) {
      setFailure(errorText(error));
    }
    setIsSaving(false);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !problem && !isSaving) void save(wanted === '' ? null : wanted);
  };
  const field = {
    label: `${label} of ${tool.remoteName}`,
    hideLabel: true,
    placeholder: usual,
    value: text,
    hint,
    error: problem,
    onChange: (event: { currentTarget: { value: string } }) => {
      setText(event.currentTarget.value);
      setFailure(null);
    },
  };
  return (
    <form onSubmit={onSubmit} noValidate className="flex min-w-0 flex-col gap-1.5">
      <span aria-hidden className="font-medium text-sm">
        {label}
      </span>
      {isLong ? (
        <TextareaField {...field} maxLength={serverLimits.description} />
      ) : (
        <TextField {...plainInput} {...field} maxLength={serverLimits.alias} inputClass="font-mono" />
      )}
      {(isChanged || saved !== null) && (
        <div className="flex gap-2">
          {isChanged && (
            <Button size="sm" variant="primary" type="submit" busy={isSaving} disabled={problem !== null}>
              Save {label.toLowerCase()}
            </Button>
          )}
          {saved !== null && (
            <Button size="sm" variant="ghost" icon={<RotateCcw aria-hidden />} onClick={() => void save(null)}>
              Back to the server’s
            </Button>
          )}
        </div>
      )}
    </form>
  );
}

function Approval({ tool, onChange }: ToolSettingsProps) {
  const noteId = useId();
  const isOwn = tool.setting.requiresApproval !== null;
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium text-sm">Ask a person first</p>
        <p id={noteId} className="text-muted text-xs">
          {isOwn ? 'You decided this for this tool.' : 'As the settings of the server say.'}
          {isOwn && (
            <button
              type="button"
              className="ml-1.5 rounded text-accent-text hover:underline"
              onClick={() => void onChange({ requiresApproval: null })}
            >
              Follow the settings
            </button>
          )}
        </p>
      </div>
      <Switch
        label={`Ask a person before ${tool.remoteName}`}
        checked={tool.requiresApproval}
        onChange={(requiresApproval) => void onChange({ requiresApproval })}
      />
    </div>
  );
}

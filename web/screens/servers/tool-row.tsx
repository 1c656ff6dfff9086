import { ChevronRight, RotateCcw, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { descriptionOf, hintsOf } from '../../../src/servers/remote-tool.ts';
import { serverLimits } from '../../../src/servers/server-definition.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { ToolChange } from '../../api/server-queries.ts';
import { ToolBadges } from '../../parts/tools/tool-badges.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { errorText } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { TextField } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { checkAlias, definitionOf } from './filter-tools.ts';
import { plainInput } from './server-fields.tsx';
import { StatusBadge, ToolDefinitionView, ToolWarnings } from './tool-definition.tsx';

export interface ToolRowProps {
  tool: ServerTool;
  isOpen: boolean;
  onToggle: () => void;
  onChange: (change: ToolChange) => Promise<unknown>;
  /** A tool that is gone is forgotten. */
  onForget: () => void;
  isPending: boolean;
}

export function ToolRow({ tool, isOpen, onToggle, onChange, onForget, isPending }: ToolRowProps) {
  const panelId = useId();
  const definition = definitionOf(tool);
  const description = tool.setting.description ?? descriptionOf(definition);
  const isOffered = tool.status === 'active';
  // Nobody can call it, whatever was decided about it.
  const isUnusable = tool.status === 'unusable';
  return (
    <li
      aria-label={tool.remoteName}
      data-tool={tool.remoteName}
      data-status={tool.status}
      className="first:rounded-t-card last:rounded-b-card"
    >
      <div className="relative flex items-start gap-3 px-3.5 py-3 hover:bg-hover">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <button
              type="button"
              data-row
              aria-expanded={isOpen}
              aria-controls={panelId}
              onClick={onToggle}
              className={classes(
                '-ml-1 inline-flex min-w-0 max-w-full items-start rounded text-left font-medium font-mono text-sm outline-none after:absolute after:inset-0 focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-(--focus)',
                !isOffered && 'text-muted',
              )}
            >
              <ChevronRight
                aria-hidden
                className={classes('mt-0.5 size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
              />
              <span className="min-w-0 break-all">{tool.localName}</span>
            </button>
            {!isOffered && <StatusBadge status={tool.status} />}
            {!isUnusable && <ToolBadges annotations={hintsOf(definition)} requiresApproval={tool.requiresApproval} />}
          </div>
          {tool.setting.alias !== null && (
            <p className="break-all pl-3 text-faint text-xs">
              called <span className="font-mono">{tool.remoteName}</span> by the server
            </p>
          )}
          {description !== '' && !isOpen && (
            <p className="mt-0.5 line-clamp-2 pl-3 text-muted text-xs [overflow-wrap:anywhere]">
              <ForeignText text={description} />
            </p>
          )}
        </div>
        <div className="relative z-10 flex h-5 items-center">
          {tool.status === 'gone' ? (
            <Button
              size="sm"
              icon={<Trash2 aria-hidden />}
              busy={isPending}
              aria-label={`Forget ${tool.remoteName}`}
              onClick={onForget}
            >
              Forget
            </Button>
          ) : (
            !isUnusable && (
              <Switch
                label={`Offer ${tool.remoteName}`}
                checked={tool.setting.enabled}
                disabled={tool.status === 'filtered'}
                onChange={(enabled) => void onChange({ enabled })}
              />
            )
          )}
        </div>
      </div>
      {(tool.note !== null || tool.closeTo.length > 0) && (
        <div className="px-3.5 pb-3 pl-6.5">
          <ToolWarnings tool={tool} />
        </div>
      )}
      {isOpen && (
        <div id={panelId} className="border-line border-t bg-sunken/30 px-3.5 py-3.5 sm:pl-6.5">
          <ToolSettings tool={tool} onChange={onChange} />
        </div>
      )}
    </li>
  );
}

interface ToolSettingsProps {
  tool: ServerTool;
  onChange: (change: ToolChange) => Promise<unknown>;
}

/** What a person decides about one tool, and what its server says of it. */
function ToolSettings({ tool, onChange }: ToolSettingsProps) {
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

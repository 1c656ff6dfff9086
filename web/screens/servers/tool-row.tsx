import { Link, useParams } from '@tanstack/react-router';
import { ChevronRight, Play, RotateCcw, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { descriptionOf, hintsOf } from '../../../src/servers/remote-tool.ts';
import { serverLimits } from '../../../src/servers/server-definition.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { ToolChange } from '../../api/server-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { StatusBadge, ToolDefinitionView, ToolWarnings } from '../../parts/servers/tool-definition.tsx';
import { ToolBadges } from '../../parts/tools/tool-badges.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CodeName } from '../../ui/code-name.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { TextField } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { checkAlias, definitionOf } from './filter-tools.ts';
import { plainInput } from './server-fields.tsx';

export interface ToolRowProps {
  /** Its place in the list. */
  row: number;
  tool: ServerTool;
  isOpen: boolean;
  onToggle: () => void;
  onChange: (change: ToolChange) => Promise<unknown>;
  /** Removes a tool that the server no longer lists. */
  onForget: () => void;
  isPending: boolean;
}

export function ToolRow({ row, tool, isOpen, onToggle, onChange, onForget, isPending }: ToolRowProps) {
  const panelId = useId();
  const definition = definitionOf(tool);
  const description = tool.setting.description ?? descriptionOf(definition);
  const isOffered = tool.status === 'active';
  // No caller can use it, whatever its settings.
  const isUnusable = tool.status === 'unusable';
  return (
    <article aria-label={tool.remoteName} data-tool={tool.remoteName} data-status={tool.status}>
      <div className="relative flex items-start gap-3 px-3.5 py-3 hover:bg-hover">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <button
              type="button"
              data-row={row}
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
              <span className="min-w-0 [overflow-wrap:anywhere]">
                <CodeName name={tool.localName} />
              </span>
            </button>
            {!isOffered && <StatusBadge status={tool.status} />}
            {!isUnusable && <ToolBadges annotations={hintsOf(definition)} requiresApproval={tool.requiresApproval} />}
          </div>
          {tool.setting.alias !== null && (
            <p className="break-all pl-3 text-faint text-xs">
              named <span className="font-mono">{tool.remoteName}</span> by the server
            </p>
          )}
          {description !== '' && !isOpen && (
            <p className="mt-0.5 line-clamp-2 pl-3 text-muted text-xs [overflow-wrap:anywhere]">
              <ForeignText text={description} hasCode />
            </p>
          )}
        </div>
        <div className="relative z-10 flex h-5 items-center gap-2.5">
          {isOffered && (
            <Link
              to="/tools/$name"
              params={{ name: tool.localName }}
              aria-label={`Try ${tool.remoteName}`}
              className={buttonClass({ size: 'sm', variant: 'ghost' })}
            >
              <Play aria-hidden />
              Try
            </Link>
          )}
          {tool.status === 'gone' && tool.versions.length > 0 ? null : tool.status === 'gone' ? (
            <Button
              size="sm"
              icon={<Trash2 aria-hidden />}
              busy={isPending}
              aria-label={`Remove ${tool.remoteName}`}
              onClick={onForget}
            >
              Remove
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
    </article>
  );
}

interface ToolSettingsProps {
  tool: ServerTool;
  onChange: (change: ToolChange) => Promise<unknown>;
}

/** The user's settings for one tool and the server's definition. */
function ToolSettings({ tool, onChange }: ToolSettingsProps) {
  const definition = definitionOf(tool);
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      {tool.status !== 'unusable' && <Decisions tool={tool} onChange={onChange} />}
      <section aria-label="From the server" className="flex min-w-0 flex-col gap-2.5">
        <h3 className="font-semibold font-sans text-muted text-xs uppercase tracking-wider">From the server</h3>
        <p className="break-all text-xs">
          <span className="text-faint">Original name</span> <span className="font-mono">{tool.remoteName}</span>
        </p>
        {definition && <ToolDefinitionView definition={definition} />}
      </section>
    </div>
  );
}

function Decisions({ tool, onChange }: ToolSettingsProps) {
  return (
    <section aria-label="Your settings" className="flex min-w-0 flex-col gap-4">
      <h3 className="font-semibold font-sans text-muted text-xs uppercase tracking-wider">Your settings</h3>
      <TextSetting
        key={`alias ${tool.setting.alias}`}
        tool={tool}
        label="Name"
        saved={tool.setting.alias}
        defaultText={tool.setting.alias === null ? tool.localName : ''}
        hint="The name that agents and clients see. Leave empty for the default."
        check={checkAlias}
        onSave={(alias) => onChange({ alias })}
      />
      <TextSetting
        key={`description ${tool.setting.description}`}
        tool={tool}
        label="Description"
        saved={tool.setting.description}
        defaultText={descriptionOf(definitionOf(tool))}
        hint="The description that models read. Leave empty to use the server’s."
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
  /** The value without this setting. */
  defaultText: string;
  hint: string;
  isLong?: boolean;
  check?: (text: string) => string | null;
  onSave: (text: string | null) => Promise<unknown>;
}

/** Overrides a text. Enter or the button saves it. */
function TextSetting({ tool, label, saved, defaultText, hint, isLong = false, check, onSave }: TextSettingProps) {
  const { name: server = '' } = useParams({ strict: false });
  const draft = useFormDraft(`tool/${server}/${tool.remoteName}/${label}`, saved ?? '', { base: saved ?? '' });
  const text = draft.value;
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const trimmed = text.trim();
  const problem = check?.(trimmed) ?? failure;
  const isChanged = trimmed !== (saved ?? '');
  const save = (next: string | null) => {
    setIsSaving(true);
    const saved = onSave(next);
    draft.save(saved, {});
    saved.catch((error) => setFailure(errorText(error))).finally(() => setIsSaving(false));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !problem && !isSaving) save(trimmed === '' ? null : trimmed);
  };
  const field = {
    label: `${label} of ${tool.remoteName}`,
    hideLabel: true,
    placeholder: defaultText,
    value: text,
    hint,
    error: problem,
    onChange: (event: { currentTarget: { value: string } }) => {
      draft.set(event.currentTarget.value);
      setFailure(null);
    },
  };
  return (
    <form onSubmit={onSubmit} noValidate className="flex min-w-0 flex-col gap-1.5">
      <span aria-hidden className="font-medium text-sm">
        {label}
      </span>
      <DraftNote draft={draft} />
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
            <Button size="sm" variant="ghost" icon={<RotateCcw aria-hidden />} onClick={() => save(null)}>
              Use server default
            </Button>
          )}
        </div>
      )}
    </form>
  );
}

function Approval({ tool, onChange }: ToolSettingsProps) {
  const noteId = useId();
  const isOverridden = tool.setting.requiresApproval !== null;
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium text-sm">Require approval</p>
        <p id={noteId} className="text-muted text-xs">
          {isOverridden ? 'Set for this tool.' : 'Follows the server settings.'}
          {isOverridden && (
            <button
              type="button"
              className="ml-1.5 rounded text-accent-text hover:underline"
              onClick={() => void onChange({ requiresApproval: null })}
            >
              Use server settings
            </button>
          )}
        </p>
      </div>
      <Switch
        label={`Require approval for ${tool.remoteName}`}
        checked={tool.requiresApproval}
        onChange={(requiresApproval) => void onChange({ requiresApproval })}
      />
    </div>
  );
}

import { Braces, Copy, History, Play, RotateCcw, Square, SquareTerminal, Terminal, UserRound } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { useHubAddress } from '../../api/access-queries.ts';
import { useAgents } from '../../api/queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { checkValue, isMissing } from '../../parts/schema-form/check-value.ts';
import { hasUnread, startValue } from '../../parts/schema-form/form-value.ts';
import { fieldOf } from '../../parts/schema-form/schema-fields.ts';
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx';
import { shownIssues } from '../../parts/schema-form/shown-issues.ts';
import { MemberAvatar } from '../../parts/team/member-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.tsx';
import { cliSnippet, curlSnippet } from './call-snippets.ts';
import { type CallDraft, callWithoutSecrets } from './call-without-secrets.ts';
import { inputsOf, rememberInput } from './remembered-inputs.ts';
import { ResultView } from './result-view.tsx';
import { type CallAs, type ToolRun, useToolRun } from './use-tool-run.ts';

const clickMs = 200;
const runKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘⏎' : 'Ctrl ⏎';

/** A form to call the tool, and the result. Use the tool's name as its key. */
export function TryTool({ tool }: { tool: ToolDetailBody }) {
  const field = useMemo(() => fieldOf(tool.inputSchema), [tool.inputSchema]);
  const start = useMemo(
    (): CallDraft => ({ value: startValue(field, true) ?? {}, as: { kind: 'user' }, raw: null }),
    [field],
  );
  const draft = useFormDraft(`call/${tool.name}`, start, {
    withoutSecrets: (typed) => callWithoutSecrets(field, typed),
  });
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const { run, start: startRun, cancel } = useToolRun(tool.name);
  const result = useRef<HTMLDivElement>(null);
  const { value, as, raw } = draft.value;
  useEffect(() => {
    if (run.state !== 'none') result.current?.scrollIntoView({ block: 'nearest' });
  }, [run.state]);
  const rawError = raw === null ? null : jsonError(raw);
  const issues = useMemo(() => checkValue(field, value), [field, value]);
  const shown = shownIssues({ issues, touched, value, rejected: rejectionOf(run) });

  const change = (next: Partial<CallDraft>) => draft.set((before) => ({ ...before, ...next }));
  const load = (next: unknown) => {
    change({ value: next, raw: raw === null ? null : JSON.stringify(next, null, 2) });
    setTouched(new Set());
  };
  const onRaw = (text: string) => change({ raw: text, ...(jsonError(text) === null && { value: JSON.parse(text) }) });
  const onRun = async () => {
    if (run.state === 'running') return;
    setTouched(new Set(issues.map((issue) => issue.path)));
    if (rawError !== null || hasUnread(value)) {
      showToast('Not sent: the input is not valid JSON');
      return;
    }
    if (isDestructive(tool) && !(await confirm(warning(tool)))) return;
    rememberInput(tool.name, value);
    void startRun(value, as);
  };
  const onBlur = (event: FocusEvent) => {
    const path = event.target.closest<HTMLElement>('[data-path]')?.dataset.path;
    // No error for an empty field while the user only tabs through it.
    if (path === undefined || issues.some((issue) => issue.path === path && issue.message === isMissing)) return;
    // Delayed, because a message that appears during a click would move its target away.
    setTimeout(() => setTouched((before) => (before.has(path) ? before : new Set([...before, path]))), clickMs);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void onRun();
  };

  return (
    <form
      noValidate
      aria-label={`Try ${tool.name}`}
      onBlur={onBlur}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        void onRun();
      }}
      className="flex flex-col gap-4"
    >
      <div className="flex items-center gap-1.5">
        <Segmented
          label="Input mode"
          value={raw === null ? 'form' : 'json'}
          options={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={(next) => {
            if (next === 'json') change({ raw: JSON.stringify(value, null, 2) });
            else if (rawError === null) change({ raw: null });
            else showToast('Invalid JSON', { description: rawError });
          }}
        />
        <span className="ml-auto flex items-center gap-0.5">
          <EarlierInputs tool={tool.name} onPick={load} />
          <IconButton
            label="Reset"
            icon={<RotateCcw aria-hidden />}
            onClick={() => load(startValue(field, true) ?? {})}
          />
          <CopyCall tool={tool} input={value} as={as} />
        </span>
      </div>
      <DraftNote draft={draft} onlyAfterReload />
      {raw === null ? (
        <SchemaForm field={field} value={value} issues={shown} onChange={(next) => change({ value: next ?? {} })} />
      ) : (
        <TextareaField
          label="Input as JSON"
          value={raw}
          rows={8}
          spellCheck={false}
          autoCapitalize="off"
          error={rawError ?? [...shown].map(([path, message]) => `${path || 'The input'} ${message}`).join('; ')}
          onChange={(event) => onRaw(event.target.value)}
          inputClass="font-mono text-xs! leading-5 min-h-40! max-h-[50dvh]"
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <RunAs tool={tool} as={as} onChange={(next) => change({ as: next })} />
        {run.state === 'running' ? (
          // Two separate buttons, so that a click on Cancel cannot submit the form.
          <Button key="cancel" icon={<Square aria-hidden />} onClick={cancel}>
            Cancel
          </Button>
        ) : (
          <Button key="run" type="submit" variant="primary" icon={<Play aria-hidden />}>
            Run
            <span aria-hidden className="max-md:hidden">
              <Kbd inverted>{runKeys}</Kbd>
            </span>
          </Button>
        )}
      </div>
      <div ref={result} className="scroll-mb-6">
        <ResultView run={run} />
      </div>
    </form>
  );
}

function EarlierInputs({ tool, onPick }: { tool: string; onPick: (input: unknown) => void }) {
  const inputs = inputsOf(tool);
  if (inputs.length === 0) return null;
  return (
    <Menu trigger={<IconButton label="Earlier inputs" icon={<History aria-hidden />} />}>
      {inputs.map((json) => (
        <MenuItem key={json} onClick={() => onPick(JSON.parse(json))}>
          <span className="block max-w-80 truncate font-mono text-xs">{json}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}

/** Returns the issues that the hub reported, with their input. */
function rejectionOf(run: ToolRun): Parameters<typeof shownIssues>[0]['rejected'] {
  if (run.state !== 'done' || run.trial.ok) return undefined;
  return { input: run.input, issues: run.trial.error.issues ?? [] };
}

function isDestructive({ annotations }: ToolDetailBody): boolean {
  return annotations.destructiveHint && !annotations.readOnlyHint;
}

function warning(tool: ToolDetailBody) {
  return {
    title: `Run “${tool.name}”?`,
    message: 'This tool may overwrite or delete data. You cannot undo that here.',
    confirmLabel: 'Run',
    danger: true,
  };
}

function jsonError(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'Invalid JSON';
  }
}

interface RunAsProps {
  tool: ToolDetailBody;
  as: CallAs;
  onChange: (as: CallAs) => void;
}

/** Chooses the caller. Callers without permission are included, because a rejection is worth testing too. */
function RunAs({ tool, as, onChange }: RunAsProps) {
  const agents = useAgents().data?.agents ?? [];
  const members = useMembers().data?.members ?? [];
  const inScope = new Set(tool.agents.map((agent) => agent.id));
  const mayCall = new Set(tool.memberTypes);
  const options = [
    {
      id: '',
      name: 'You',
      note: tool.isForMembers ? 'Members only' : '',
      icon: <UserRound aria-hidden className="size-4 text-faint" />,
    },
    ...agents
      .toSorted((left, right) => Number(inScope.has(right.id)) - Number(inScope.has(left.id)))
      .map((agent) => ({
        id: `agent:${agent.id}`,
        name: agent.name,
        note: inScope.has(agent.id) ? '' : 'Not in scope',
        icon: <AgentAvatar id={agent.id} size={18} />,
      })),
    ...members.map((member) => ({
      id: `member:${member.id}`,
      name: member.id,
      note: mayCall.has(member.type) ? '' : 'Not allowed',
      icon: <MemberAvatar id={member.id} size={18} />,
    })),
  ];
  const value = as.kind === 'user' ? '' : `${as.kind}:${as.id}`;
  const isUnknown = as.kind !== 'user' && !options.some(({ id }) => id === value);
  return (
    <Combobox
      label="Run as"
      items={isUnknown ? [...options, { id: value, name: as.id, note: '', icon: null }] : options}
      value={value}
      onChange={(next) => onChange(readAs(next))}
      placeholder="You"
      showLabel="Show agents and members"
      noMatchText="No agents or members match."
      nameOf={({ name }) => name}
      alsoFoundBy={({ id }) => ({ keywords: [id] })}
      mark={({ icon }) => icon}
      className="w-72 flex-row! items-center gap-2! max-sm:w-full [&>div]:flex-1"
    >
      {({ name, note, icon }) => (
        <>
          {icon}
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="text-faint text-xs">{note}</span>
        </>
      )}
    </Combobox>
  );
}

function readAs(value: string): CallAs {
  if (value.startsWith('agent:')) return { kind: 'agent', id: value.slice('agent:'.length) };
  if (value.startsWith('member:')) return { kind: 'member', id: value.slice('member:'.length) };
  return { kind: 'user' };
}

interface CopyCallProps {
  tool: ToolDetailBody;
  input: unknown;
  as: CallAs;
}

/** Copies the call as a command, as a request, or only its input. */
function CopyCall({ tool, input, as }: CopyCallProps) {
  const call = { tool: tool.name, input, as, url: useHubAddress() };
  return (
    <Menu trigger={<IconButton label="Copy call" icon={<Copy aria-hidden />} />}>
      <MenuItem
        icon={<Braces aria-hidden />}
        onClick={() => void copyText(JSON.stringify(input, null, 2), 'Input copied')}
      >
        Copy input as JSON
      </MenuItem>
      <MenuItem
        icon={<SquareTerminal aria-hidden />}
        onClick={() => void copyText(cliSnippet(call), 'Command copied')}
        disabled={as.kind === 'member'}
      >
        Copy as zoo command
      </MenuItem>
      <MenuItem icon={<Terminal aria-hidden />} onClick={() => void copyText(curlSnippet(call), 'Request copied')}>
        Copy as curl
      </MenuItem>
    </Menu>
  );
}

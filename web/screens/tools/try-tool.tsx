import { History, Play, RotateCcw, Square } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { checkValue, isMissing } from '../../parts/schema-form/check-value.ts';
import { hasUnread, startValue } from '../../parts/schema-form/form-value.ts';
import { fieldOf } from '../../parts/schema-form/schema-fields.ts';
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx';
import { shownIssues } from '../../parts/schema-form/shown-issues.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { CallAs } from './call-as.ts';
import { CopyCall } from './copy-call.tsx';
import { draftOf, inputsOf, keepDraft, rememberInput } from './remembered-inputs.ts';
import { ResultView } from './result-view.tsx';
import { RunAs } from './run-as.tsx';
import { type ToolRun, useToolRun } from './use-tool-run.ts';

const pressMs = 200;
const runKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘⏎' : 'Ctrl ⏎';

/** A form to call the tool with, and what came of it. Give it the tool's name as its key. */
export function TryTool({ tool }: { tool: ToolDetailBody }) {
  const field = useMemo(() => fieldOf(tool.inputSchema), [tool.inputSchema]);
  const [draft, setDraft] = useState(
    () => draftOf(tool.name) ?? { value: startValue(field, true) ?? {}, as: { kind: 'person' } as CallAs },
  );
  /** The text of the JSON view; null while the form is shown. */
  const [raw, setRaw] = useState<string | null>(null);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const { run, start, cancel } = useToolRun(tool.name);
  const result = useRef<HTMLDivElement>(null);
  const { value, as } = draft;
  useEffect(() => {
    if (run.state !== 'none') result.current?.scrollIntoView({ block: 'nearest' });
  }, [run.state]);
  const rawError = raw === null ? null : jsonError(raw);
  const issues = useMemo(() => checkValue(field, value), [field, value]);
  const shown = shownIssues({ issues, touched, value, answered: answerOf(run) });

  const change = (next: Partial<typeof draft>) => {
    const whole = { ...draft, ...next };
    setDraft(whole);
    keepDraft(tool.name, whole);
  };
  const begin = (next: unknown) => {
    change({ value: next });
    setTouched(new Set());
    if (raw !== null) setRaw(JSON.stringify(next, null, 2));
  };
  const onRaw = (text: string) => {
    setRaw(text);
    if (jsonError(text) === null) change({ value: JSON.parse(text) });
  };
  const onRun = async () => {
    if (run.state === 'running') return;
    setTouched(new Set(issues.map((issue) => issue.path)));
    if (rawError !== null || hasUnread(value)) {
      showToast('Not sent: what was typed is not JSON yet');
      return;
    }
    if (isDestructive(tool) && !(await confirm(warning(tool)))) return;
    rememberInput(tool.name, value);
    void start(value, as);
  };
  const onBlur = (event: FocusEvent) => {
    const path = event.target.closest<HTMLElement>('[data-path]')?.dataset.path;
    // Nobody is told that a field is empty who is only on the way to the next one.
    if (path === undefined || issues.some((issue) => issue.path === path && issue.message === isMissing)) return;
    // What a press began must end where it began: words that appear meanwhile would move it away.
    setTimeout(() => setTouched((before) => (before.has(path) ? before : new Set([...before, path]))), pressMs);
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
          label="How to write the input"
          value={raw === null ? 'form' : 'json'}
          options={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={(next) => {
            if (next === 'json') setRaw(JSON.stringify(value, null, 2));
            else if (rawError === null) setRaw(null);
            else showToast('Not JSON yet', { description: rawError });
          }}
        />
        <span className="ml-auto flex items-center gap-0.5">
          <EarlierInputs tool={tool.name} onPick={begin} />
          <IconButton
            label="Empty the form"
            icon={<RotateCcw aria-hidden />}
            onClick={() => begin(startValue(field, true) ?? {})}
          />
          <CopyCall tool={tool} input={value} as={as} />
        </span>
      </div>
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
          // Two buttons: one that changed under the finger would send the form with the press that cancels it.
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

/** What the hub refused, and for which input. */
function answerOf(run: ToolRun): Parameters<typeof shownIssues>[0]['answered'] {
  if (run.state !== 'done' || run.trial.ok) return undefined;
  return { input: run.input, issues: run.trial.error.issues ?? [] };
}

function isDestructive({ annotations }: ToolDetailBody): boolean {
  return annotations.destructiveHint && !annotations.readOnlyHint;
}

function warning(tool: ToolDetailBody) {
  return {
    title: `Run “${tool.name}”?`,
    message: 'This tool may overwrite or delete something, and that cannot be undone here.',
    confirmLabel: 'Run it',
    danger: true,
  };
}

function jsonError(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'Not JSON';
  }
}

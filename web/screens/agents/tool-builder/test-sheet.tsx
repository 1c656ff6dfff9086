import { Link, useNavigate } from '@tanstack/react-router';
import { CornerUpLeft, FlaskConical, RotateCcw, Sparkles } from 'lucide-react';
import { type FocusEvent, useMemo, useState } from 'react';
import { previewTemplate, templateProblems } from '../../../../src/agents/exposes/fill-template.ts';
import { compileParameters, toJsonSchema } from '../../../../src/agents/exposes/tool-schema.ts';
import { HubError } from '../../../../src/base/hub-error.ts';
import { isRecord } from '../../../../src/base/is-record.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { Chat } from '../../../../src/chats/chat.ts';
import type { FoundChat } from '../../../../src/chats/chats.ts';
import { useCreateChat, useToolTests } from '../../../api/chat-queries.ts';
import { ApiError } from '../../../api/client.ts';
import { checkValue, isMissing, type ValueIssue } from '../../../parts/schema-form/check-value.ts';
import { hasUnread, startValue } from '../../../parts/schema-form/form-value.ts';
import { fieldOf } from '../../../parts/schema-form/schema-fields.ts';
import { SchemaForm } from '../../../parts/schema-form/schema-form.tsx';
import { shownIssues } from '../../../parts/schema-form/shown-issues.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { errorText } from '../../../ui/error-state.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError } from '../../../ui/toast.tsx';
import { type OfferedTool, unfinishedIn } from './offered-tools.ts';
import { FilledPrompt, useValues } from './prompt-section.tsx';

export interface TestSheetProps {
  agentId: string;
  row: OfferedTool;
  dirty: boolean;
  canSave: boolean;
  save: () => Promise<boolean>;
  change: (change: (row: OfferedTool) => OfferedTool) => void;
  onClose: () => void;
}

type RejectedInput = { input: unknown; issues: readonly ValueIssue[] };

/** Tests a tool: enter values, preview the prompt, and open a chat with the agent's answer. */
export function TestSheet({ agentId, row, dirty, canSave, save, change, onClose }: TestSheetProps) {
  const { tool } = row;
  const value = useValues(row);
  const field = useMemo(() => fieldOf(toJsonSchema(tool.parameters)), [tool.parameters]);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [rejected, setRejected] = useState<RejectedInput>();
  const issues = useMemo(() => checkValue(field, value), [field, value]);
  const { start, isBusy } = useStart({ agentId, dirty, save });
  const problem = useMemo(() => problemOf(row), [row]);
  const setValue = (next: unknown) => change((before) => ({ ...before, values: next ?? {} }));
  const resetTo = (next: unknown) => {
    setTouched(new Set());
    setRejected(undefined);
    setValue(next);
  };
  const parameters = isRecord(value) ? value : {};
  const run = async () => {
    setTouched(new Set(issues.map((issue) => issue.path)));
    if (problem !== null || issues.length > 0 || hasUnread(value)) return;
    const found = findIssues(tool.parameters, parameters);
    if (found) setRejected({ input: value, issues: found });
    else await start(tool.name, parameters as JsonObject, (issues) => setRejected({ input: value, issues }));
  };
  const onBlur = (event: FocusEvent) => {
    const path = event.target.closest<HTMLElement>('[data-path]')?.dataset.path;
    // Does not report an empty field that the user only tabbed through.
    if (path === undefined || issues.some((issue) => issue.path === path && issue.message === isMissing)) return;
    setTouched((before) => (before.has(path) ? before : new Set([...before, path])));
  };
  const shown = shownIssues({ issues, touched, value, rejected });
  return (
    <Sheet
      title={`Test ${tool.name}`}
      onClose={onClose}
      footer={
        <>
          {problem !== null && (
            <p role="alert" className="flex-1 text-danger text-xs">
              {problem}
            </p>
          )}
          {problem === null && dirty && !canSave && (
            <p className="flex-1 text-muted text-xs">Tests use the saved version.</p>
          )}
          <Button
            variant="primary"
            icon={<FlaskConical aria-hidden />}
            busy={isBusy}
            disabled={problem !== null}
            onClick={() => void run()}
          >
            {dirty && canSave ? 'Save and test' : 'Test'}
          </Button>
        </>
      }
    >
      <form
        noValidate
        aria-label={`Values for ${tool.name}`}
        onBlur={onBlur}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          void run();
        }}
        onSubmit={(event) => event.preventDefault()}
        className="flex flex-col gap-5"
      >
        <div className="flex flex-col gap-2.5">
          <div className="flex items-center gap-1">
            <h3 className="flex-1 font-semibold text-sm">Values</h3>
            <IconButton label="Fill with sample values" icon={<Sparkles aria-hidden />} onClick={() => resetTo(null)} />
            <IconButton
              label="Reset"
              icon={<RotateCcw aria-hidden />}
              onClick={() => resetTo(startValue(field, true) ?? {})}
            />
          </div>
          <SchemaForm field={field} value={value} issues={shown} onChange={setValue} />
          {shown.has('') && (
            <p role="alert" className="text-danger text-xs">
              {shown.get('')}
            </p>
          )}
        </div>
        <div className="flex flex-col gap-1.5">
          <h3 className="font-semibold text-sm">Filled prompt</h3>
          <FilledPrompt text={previewTemplate(tool.prompt, { tool, parameters })} />
        </div>
        <TestHistory agentId={agentId} tool={tool.name} onReuse={(values) => resetTo(values)} />
      </form>
    </Sheet>
  );
}

/** Returns what prevents saving the tool; the form uses its last valid schemas. */
function problemOf(row: OfferedTool): string | null {
  const [prompt] = templateProblems(row.tool.prompt, row.tool);
  if (prompt !== undefined) return `Fix the prompt first: ${prompt}`;
  const [schema] = unfinishedIn([row]);
  if (!schema) return null;
  const what = schema.path.endsWith('.parameters') ? 'Fix the parameters first' : 'Fix the output schema first';
  return `${what}: ${schema.message}`;
}

/** Checks the rules a form does not know, such as unique items. */
function findIssues(parameters: OfferedTool['tool']['parameters'], value: unknown): readonly ValueIssue[] | undefined {
  try {
    compileParameters(parameters)(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { issues } = (error.details ?? {}) as { issues?: ValueIssue[] };
    return issues ?? [{ path: '', message: error.message }];
  }
}

/** Saves unsaved changes, creates the chat and opens it. */
function useStart({ agentId, dirty, save }: Pick<TestSheetProps, 'agentId' | 'dirty' | 'save'>) {
  const create = useCreateChat();
  const navigate = useNavigate();
  const [isSaving, setIsSaving] = useState(false);
  const start = async (
    tool: string,
    parameters: JsonObject,
    onRefused: (issues: readonly ValueIssue[]) => void,
  ): Promise<void> => {
    try {
      if (dirty) {
        setIsSaving(true);
        if (!(await save())) return;
      }
      const chat = await create.mutateAsync({ agentId, origin: { kind: 'test', tool, parameters } });
      await navigate({ to: '/chat/$id', params: { id: chat.id }, ignoreBlocker: true });
    } catch (error) {
      const issues = error instanceof ApiError ? error.details?.issues : undefined;
      if (issues && issues.length > 0) onRefused(issues);
      else showError('The test could not be started', error);
    } finally {
      setIsSaving(false);
    }
  };
  return { start, isBusy: isSaving || create.isPending };
}

interface TestHistoryProps {
  agentId: string;
  tool: string;
  /** Fills the form with the values of an earlier test. */
  onReuse: (parameters: unknown) => void;
}

const states: Record<Chat['state'], { label: string; tone: BadgeTone }> = {
  idle: { label: 'Finished', tone: 'neutral' },
  answering: { label: 'Running', tone: 'info' },
  waiting: { label: 'Needs approval', tone: 'warn' },
  interrupted: { label: 'Interrupted', tone: 'danger' },
};

/** Earlier tests of the tool, newest first. */
function TestHistory({ agentId, tool, onReuse }: TestHistoryProps) {
  const tests = useToolTests(agentId, tool);
  return (
    <section aria-label="Earlier tests" className="flex flex-col gap-1.5">
      <h3 className="font-semibold text-sm">Earlier tests</h3>
      {tests.isPending ? (
        <Skeleton className="h-10 w-full rounded-lg" />
      ) : tests.isError && !tests.data ? (
        <p role="alert" className="flex flex-wrap items-center gap-2 text-danger text-xs">
          The tests could not be loaded: {errorText(tests.error)}
          <Button size="sm" onClick={() => void tests.refetch()}>
            Try again
          </Button>
        </p>
      ) : tests.data.length === 0 ? (
        <p className="text-muted text-xs">No tests yet. Each test is saved as a chat.</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
          {tests.data.map((chat) => (
            <TestRow key={chat.id} chat={chat} onReuse={onReuse} />
          ))}
        </ul>
      )}
    </section>
  );
}

function TestRow({ chat, onReuse }: { chat: FoundChat; onReuse: TestHistoryProps['onReuse'] }) {
  const parameters = chat.origin.kind === 'test' ? chat.origin.parameters : {};
  const { label, tone } = states[chat.state];
  return (
    <li className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-2">
      <Link to="/chat/$id" params={{ id: chat.id }} className="min-w-0 flex-1 basis-52 rounded hover:underline">
        <span className="block truncate text-sm">{chat.title}</span>
        <span className="block truncate font-mono text-faint text-xs">{JSON.stringify(parameters)}</span>
      </Link>
      <Badge tone={tone}>{label}</Badge>
      <span className="text-faint text-xs">
        <RelativeTime at={new Date(chat.createdAt).toISOString()} />
      </span>
      <Button
        size="sm"
        variant="ghost"
        icon={<CornerUpLeft aria-hidden />}
        aria-label={`Reuse values of ${chat.title}`}
        onClick={() => onReuse(parameters)}
      >
        Reuse values
      </Button>
    </li>
  );
}

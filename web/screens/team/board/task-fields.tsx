import { ExternalLink } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import { type Task, type TaskChange, workLimits } from '../../../../src/team/work/work.ts';
import { useAssignTask, useChangeTask } from '../../../api/work-queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { type FormDraft, useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { fitsLabels } from '../../../parts/team/fits-labels.ts';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { dueDateField, dueDateProblem, PrioritySelect } from '../../../parts/team/task-plan.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Input } from '../../../ui/input.tsx';
import { labelsIn } from '../../../ui/labels-in.ts';
import { showError } from '../../../ui/toast.tsx';
import { EpicSelect } from '../epics/epic-select.tsx';

/** Tasks that keep their assignee until they move. */
const keptNames: Partial<Record<TaskState, string>> = {
  IN_PROGRESS: 'A task in progress',
  REVIEW: 'A task in review',
  BLOCKED: 'A blocked task',
};

/** Edits the assignee, epic, priority, due date, labels, branch, worktree and pull request. */
export function TaskFields({ task }: { task: Task }) {
  const assign = useAssignTask();
  const change = useChangeTask(task.id);
  const draft = useFormDraft(`task/${task.id}/fields`, untyped);
  const typed = { task, draft };
  const onError = (error: Error) => showError('The task could not be saved', error);
  // A task in progress changes hands only when it moves.
  const canAssign = task.state === 'PENDING' || task.state === 'ASSIGNED' || task.state === 'FAILED';
  return (
    <section aria-label="Details" className="grid gap-x-4 gap-y-3.5 sm:grid-cols-2">
      <DraftNote draft={draft} className="sm:col-span-2" />
      <Field
        label="Assignee"
        hint={keptNames[task.state] !== undefined && `${keptNames[task.state]} cannot be reassigned.`}
      >
        {({ id }) => (
          <MemberSelect
            id={id}
            label="Assignee"
            none="Unassigned"
            value={task.assigneeId ?? ''}
            disabled={!canAssign}
            onChange={(agentId) =>
              agentId !== (task.assigneeId ?? '') &&
              assign.mutate({ id: task.id, agentId: agentId === '' ? null : agentId }, { onError })
            }
          />
        )}
      </Field>
      <Field label="Epic">
        {({ id }) => (
          <EpicSelect
            id={id}
            value={task.epicId ?? ''}
            onChange={(epicId) => change.mutate({ epicId: epicId === '' ? null : epicId }, { onError })}
          />
        )}
      </Field>
      <Field label="Priority" hint="Members start urgent tasks first.">
        {({ id }) => (
          <PrioritySelect
            id={id}
            value={task.priority}
            onChange={(priority) => change.mutate({ priority }, { onError })}
          />
        )}
      </Field>
      <TextProperty {...typed} name="dueDate" label="Due date" />
      <TextProperty {...typed} name="labels" label="Labels" placeholder="security, backend" className="sm:col-span-2" />
      <TextProperty {...typed} name="branchName" label="Branch" placeholder="feature/auth" />
      <TextProperty {...typed} name="worktreePath" label="Worktree" placeholder="/path/to/worktree" />
      <TextProperty {...typed} name="prUrl" label="Pull request" placeholder="https://…" className="sm:col-span-2" />
    </section>
  );
}

/** What is in the fields and not saved yet; null for a field that was not changed. */
const untyped = {
  dueDate: null as string | null,
  labels: null as string | null,
  branchName: null as string | null,
  worktreePath: null as string | null,
  prUrl: null as string | null,
};

interface TextPropertyProps {
  task: Task;
  draft: FormDraft<typeof untyped>;
  name: keyof typeof untyped;
  label: string;
  placeholder?: string;
  className?: string;
}

/** Saves on Enter or blur; Esc restores the saved value. A date is not saved while it is typed: its year begins as 0002. */
function TextProperty({ task, draft, name, label, placeholder, className }: TextPropertyProps) {
  const change = useChangeTask(task.id);
  const isPlain = name === 'labels' || name === 'dueDate';
  const saved = name === 'labels' ? task.labels.join(', ') : (task[name] ?? '');
  const typed = draft.value[name];
  const setTyped = (next: string | null) => draft.set((before) => ({ ...before, [name]: next }));
  const input = useRef<HTMLInputElement>(null);
  /** Whether a save is under way. The mutation says so only with its next render, and Esc may come sooner. */
  const isSaving = useRef(false);
  const [error, setError] = useState<string | null>(null);
  const save = () => {
    const value = typed?.trim();
    const problem = name === 'dueDate' ? dueDateProblem(input.current) : null;
    if (problem !== null) {
      setError(problem);
      return;
    }
    if (value === undefined || value === saved) {
      setTyped(null);
      setError(null);
      return;
    }
    if (name === 'prUrl' && value !== '' && !isWebUrl(value)) {
      setError('Enter an http or https URL.');
      return;
    }
    if (name === 'labels' && !fitsLabels(labelsIn(value))) {
      setError(`Enter up to ${workLimits.labels} labels of up to ${workLimits.label} characters, separated by commas.`);
      return;
    }
    setError(null);
    isSaving.current = true;
    change.mutate(changeOf(name, value), {
      onSettled: () => {
        isSaving.current = false;
      },
      onSuccess: () => draft.set((now) => (now[name] === typed ? { ...now, [name]: null } : now)),
      onError: (failure) => showError('The task could not be saved', failure),
    });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={onSubmit} noValidate {...(className && { className })}>
      <Field
        label={label}
        error={error}
        hint={draft.restored !== null && typed !== null && typed !== saved && 'Not saved yet. Press Enter to save it.'}
      >
        {(parts) => (
          <div className="flex items-center gap-1">
            <Input
              {...parts}
              ref={input}
              {...(name === 'dueDate' && dueDateField)}
              value={typed ?? saved}
              placeholder={placeholder}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...(!isPlain && { className: 'font-mono text-xs' })}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onBlur={save}
              onKeyDown={(event) => {
                // Chromium does not submit a form from a date.
                if (event.key === 'Enter' && name === 'dueDate') save();
                if (event.key !== 'Escape' || (error === null && (isSaving.current || typed === null))) return;
                event.preventDefault();
                event.stopPropagation();
                // A half-typed date is not part of the value that React knows.
                event.currentTarget.value = saved;
                setTyped(null);
                setError(null);
              }}
            />
            {saved !== '' &&
              !isPlain &&
              (name === 'prUrl' ? (
                <a
                  href={saved}
                  target="_blank"
                  rel="noreferrer noopener"
                  aria-label="Open pull request"
                  className="inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text"
                >
                  <ExternalLink aria-hidden className="size-4" />
                </a>
              ) : (
                <CopyButton iconOnly label={`Copy ${label.toLowerCase()}`} text={saved} />
              ))}
          </div>
        )}
      </Field>
    </form>
  );
}

function changeOf(name: TextPropertyProps['name'], value: string): TaskChange {
  if (name === 'labels') return { labels: labelsIn(value) };
  // A computed key widens to an index signature; it is one of the four.
  return { [name]: value === '' ? null : value } as TaskChange;
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

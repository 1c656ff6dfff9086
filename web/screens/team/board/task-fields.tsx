import { ExternalLink } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type Task, type TaskChange, workLimits } from '../../../../src/team/work/work.ts';
import { useAssignTask, useChangeTask } from '../../../api/work-queries.ts';
import { fitsLabels } from '../../../parts/team/fits-labels.ts';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { PrioritySelect } from '../../../parts/team/task-plan.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Input } from '../../../ui/input.tsx';
import { labelsIn } from '../../../ui/labels-in.ts';
import { showError } from '../../../ui/toast.tsx';
import { EpicSelect } from '../epics/epic-select.tsx';

/** Edits the assignee, epic, priority, due date, labels, branch, worktree and pull request. */
export function TaskFields({ task }: { task: Task }) {
  const assign = useAssignTask();
  const change = useChangeTask(task.id);
  const onError = (error: Error) => showError('The task could not be saved', error);
  // A task in progress changes hands only when it moves.
  const canAssign = task.state === 'PENDING' || task.state === 'ASSIGNED' || task.state === 'FAILED';
  return (
    <section aria-label="Details" className="grid gap-x-4 gap-y-3.5 sm:grid-cols-2">
      <Field
        label="Assignee"
        hint={!canAssign && task.state !== 'COMPLETED' && 'You cannot reassign a task in progress.'}
      >
        {({ id }) => (
          <MemberSelect
            id={id}
            label="Assignee"
            none="Unassigned"
            value={task.assigneeId ?? ''}
            disabled={!canAssign || assign.isPending}
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
            disabled={change.isPending}
            onChange={(epicId) => change.mutate({ epicId: epicId === '' ? null : epicId }, { onError })}
          />
        )}
      </Field>
      <Field label="Priority" hint="Members start urgent tasks first.">
        {({ id }) => (
          <PrioritySelect
            id={id}
            value={task.priority}
            disabled={change.isPending}
            onChange={(priority) => change.mutate({ priority }, { onError })}
          />
        )}
      </Field>
      <Field label="Due date">
        {(parts) => (
          <Input
            {...parts}
            type="date"
            value={task.dueDate ?? ''}
            onChange={({ currentTarget: { value, validity } }) => {
              if (validity.valid) change.mutate({ dueDate: value === '' ? null : value }, { onError });
            }}
          />
        )}
      </Field>
      <TextProperty
        task={task}
        name="labels"
        label="Labels"
        placeholder="security, backend"
        className="sm:col-span-2"
      />
      <TextProperty task={task} name="branchName" label="Branch" placeholder="feature/auth" />
      <TextProperty task={task} name="worktreePath" label="Worktree" placeholder="/path/to/worktree" />
      <TextProperty task={task} name="prUrl" label="Pull request" placeholder="https://…" className="sm:col-span-2" />
    </section>
  );
}

interface TextPropertyProps {
  task: Task;
  name: 'branchName' | 'worktreePath' | 'prUrl' | 'labels';
  label: string;
  placeholder: string;
  className?: string;
}

/** Saves on Enter or blur; Esc restores the saved value. */
function TextProperty({ task, name, label, placeholder, className }: TextPropertyProps) {
  const change = useChangeTask(task.id);
  const saved = name === 'labels' ? task.labels.join(', ') : (task[name] ?? '');
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const save = () => {
    const value = typed?.trim();
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
    change.mutate(changeOf(name, value), {
      onSuccess: () => setTyped(null),
      onError: (failure) => showError('The task could not be saved', failure),
    });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={onSubmit} noValidate {...(className && { className })}>
      <Field label={label} error={error}>
        {(parts) => (
          <div className="flex items-center gap-1">
            <Input
              {...parts}
              value={typed ?? saved}
              placeholder={placeholder}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...(name !== 'labels' && { className: 'font-mono text-xs' })}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onBlur={save}
              onKeyDown={(event) => {
                if (event.key !== 'Escape' || typed === null) return;
                event.preventDefault();
                event.stopPropagation();
                setTyped(null);
                setError(null);
              }}
            />
            {saved !== '' &&
              name !== 'labels' &&
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
  // A computed key widens to an index signature; it is one of the three.
  return { [name]: value === '' ? null : value } as TaskChange;
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

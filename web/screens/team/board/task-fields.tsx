import { ExternalLink } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Task, TaskChange } from '../../../../src/team/work/work.ts';
import { useAssignTask, useChangeTask } from '../../../api/work-queries.ts';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Input } from '../../../ui/input.tsx';
import { showError } from '../../../ui/toast.tsx';
import { EpicSelect } from '../epics/epic-select.tsx';

/** Who has it, what it belongs to, and where the work is. */
export function TaskFields({ task }: { task: Task }) {
  const assign = useAssignTask();
  const change = useChangeTask(task.id);
  const onError = (error: Error) => showError('Not saved', error);
  // A task that somebody works on changes hands by its moves.
  const mayAssign = task.state === 'PENDING' || task.state === 'ASSIGNED' || task.state === 'FAILED';
  return (
    <section aria-label="Details" className="grid gap-x-4 gap-y-3.5 sm:grid-cols-2">
      <Field
        label="Assignee"
        hint={!mayAssign && task.state !== 'COMPLETED' && 'It stays with the member that works on it.'}
      >
        {({ id }) => (
          <MemberSelect
            id={id}
            label="Assignee"
            none="Nobody yet"
            value={task.assigneeId ?? ''}
            disabled={!mayAssign || assign.isPending}
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
      <Place task={task} name="branchName" label="Branch" placeholder="feature/auth" />
      <Place task={task} name="worktreePath" label="Worktree" placeholder="/path/to/worktree" />
      <Place task={task} name="prUrl" label="Pull request" placeholder="https://…" className="sm:col-span-2" />
    </section>
  );
}

interface PlaceProps {
  task: Task;
  name: 'branchName' | 'worktreePath' | 'prUrl';
  label: string;
  placeholder: string;
  className?: string;
}

/** Saved with Enter or when it loses the focus; Escape brings back what was there. */
function Place({ task, name, label, placeholder, className }: PlaceProps) {
  const change = useChangeTask(task.id);
  const saved = task[name] ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const save = () => {
    const value = typed?.trim();
    if (value === undefined || value === saved) {
      setTyped(null);
      setError(null);
      return;
    }
    if (name === 'prUrl' && value !== '' && !isWebAddress(value)) {
      setError('It must be an http or https address.');
      return;
    }
    setError(null);
    change.mutate(changeOf(name, value), {
      onSuccess: () => setTyped(null),
      onError: (failure) => showError('Not saved', failure),
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
              className="font-mono text-xs"
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
              (name === 'prUrl' ? (
                <a
                  href={saved}
                  target="_blank"
                  rel="noreferrer noopener"
                  aria-label="Open the pull request"
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

function changeOf(name: PlaceProps['name'], value: string): TaskChange {
  // A computed key widens to an index signature; it is one of the three.
  return { [name]: value === '' ? null : value } as TaskChange;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

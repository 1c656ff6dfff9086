import { Link } from '@tanstack/react-router';
import { Pencil, ScrollText } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { type TaskWithComments, workLimits } from '../../../../src/team/work/work.ts';
import { useChangeTask } from '../../../api/work-queries.ts';
import { nameOf } from '../../../parts/team/member-badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showError } from '../../../ui/toast.tsx';
import { TaskComments } from './task-comments.tsx';
import { TaskFields } from './task-fields.tsx';
import { TaskReview } from './task-review.tsx';

export function TaskPanel({ task }: { task: TaskWithComments }) {
  return (
    <div className="flex flex-col gap-6">
      <TaskText task={task} />
      {task.state === 'REVIEW' && <TaskReview task={task} />}
      <TaskFields task={task} />
      <TaskComments task={task} />
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t pt-3 text-faint text-xs">
        <span>
          Created by {nameOf(task.createdBy)} <RelativeTime at={task.createdAt} />
        </span>
        <span>
          Changed <RelativeTime at={task.updatedAt} />
        </span>
        <Link
          to="/decisions"
          search={{ taskId: task.id }}
          className="ml-auto inline-flex items-center gap-1 text-accent-text underline-offset-2 hover:underline"
        >
          <ScrollText aria-hidden className="size-3.5" />
          All calls for this task
        </Link>
      </p>
    </div>
  );
}

function TaskText({ task }: { task: TaskWithComments }) {
  const [isEditing, setIsEditing] = useState(false);
  if (isEditing) return <TaskTextForm task={task} onDone={() => setIsEditing(false)} />;
  return (
    <section aria-label="Description">
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 break-words font-semibold text-lg leading-6">{task.title}</h2>
        <Button size="sm" variant="ghost" icon={<Pencil aria-hidden />} onClick={() => setIsEditing(true)}>
          Edit
        </Button>
      </div>
      <div className="mt-2 text-sm">
        {task.description.trim() === '' ? (
          <p className="text-faint">No description.</p>
        ) : (
          <Markdown text={task.description} />
        )}
      </div>
    </section>
  );
}

function TaskTextForm({ task, onDone }: { task: TaskWithComments; onDone: () => void }) {
  const formId = useId();
  const change = useChangeTask(task.id);
  const [title, setTitle] = useState(task.title);
  const [description, setDescription] = useState(task.description);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '') return;
    change.mutate(
      { title: title.trim(), description },
      { onSuccess: onDone, onError: (error) => showError('Not saved', error) },
    );
  };
  return (
    <form id={formId} onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label="Title"
        // It was opened to be typed into.
        autoFocus
        value={title}
        maxLength={workLimits.title}
        error={title.trim() === '' ? 'A task needs a title.' : null}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextareaField
        label="Description"
        value={description}
        maxLength={workLimits.description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        inputClass="min-h-40"
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button variant="primary" type="submit" busy={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

import { Link } from '@tanstack/react-router';
import { Pencil, ScrollText } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { type TaskWithComments, workLimits } from '../../../../src/team/work/work.ts';
import { useChangeTask, useCommentTask } from '../../../api/work-queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { MemberAvatar, nameOf } from '../../../parts/team/member-badge.tsx';
import { TaskReview } from '../../../parts/team/task-review.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/input.tsx';
import { LongList } from '../../../ui/long-list.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { TaskFields } from './task-fields.tsx';

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
          View calls
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
  const { title: savedTitle, description: savedDescription } = task;
  const draft = useFormDraft(
    `task/${task.id}`,
    { title: savedTitle, description: savedDescription },
    { base: JSON.stringify([savedTitle, savedDescription]) },
  );
  const { title, description } = draft.value;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '') return;
    draft.save(change.mutateAsync({ title: title.trim(), description }), {
      whileOpen: onDone,
      failure: 'The task could not be saved',
    });
  };
  return (
    <form id={formId} onSubmit={onSubmit} className="flex flex-col gap-3">
      <DraftNote draft={draft} />
      <TextField
        label="Title"
        // The user opened the form to type.
        autoFocus
        value={title}
        maxLength={workLimits.title}
        error={title.trim() === '' ? 'Enter a title.' : null}
        onChange={(event) => draft.set({ title: event.currentTarget.value, description })}
      />
      <TextareaField
        label="Description"
        value={description}
        maxLength={workLimits.description}
        onChange={(event) => draft.set({ title, description: event.currentTarget.value })}
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

function TaskComments({ task }: { task: TaskWithComments }) {
  const add = useCommentTask(task.id);
  const draft = useFormDraft(`task/${task.id}/comment`, '');
  const body = draft.value;
  const send = () => {
    const text = body.trim();
    if (text === '' || add.isPending) return;
    draft.save(add.mutateAsync(text), {
      whileOpen: () => draft.set((now) => (now === body ? '' : now)),
      failure: 'The comment could not be added',
    });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <section aria-labelledby="comments">
      <h3 id="comments" className="mb-3 font-semibold text-sm">
        {task.commentList.length === 0 ? 'Comments' : `Comments (${task.commentList.length})`}
      </h3>
      <LongList label="Comments" items={task.commentList} keyOf={({ id }) => id} estimateSize={64} gap={14}>
        {(comment) => (
          <div className="flex gap-2.5">
            <MemberAvatar id={comment.authorId} size={26} className="mt-0.5" />
            <div className="min-w-0 flex-1">
              <p className="flex items-baseline gap-2 text-xs">
                <span className="truncate font-medium text-text">{nameOf(comment.authorId)}</span>
                <RelativeTime at={comment.createdAt} className="shrink-0 text-faint" />
              </p>
              <div className="mt-0.5 text-sm">
                <Markdown text={comment.body} />
              </div>
            </div>
          </div>
        )}
      </LongList>
      <form onSubmit={onSubmit} className="mt-3.5 flex flex-col gap-2">
        <DraftNote draft={draft} />
        <TextareaField
          label="Add a comment"
          hideLabel
          placeholder="Add a comment…"
          value={body}
          maxLength={workLimits.comment}
          onChange={(event) => draft.set(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          inputClass="min-h-16"
        />
        <Button type="submit" size="sm" className="self-end" disabled={body.trim() === ''} busy={add.isPending}>
          Comment
        </Button>
      </form>
    </section>
  );
}

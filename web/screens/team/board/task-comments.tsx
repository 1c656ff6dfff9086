import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { type TaskWithComments, workLimits } from '../../../../src/team/work/work.ts';
import { useCommentTask } from '../../../api/work-queries.ts';
import { MemberAvatar, nameOf } from '../../../parts/team/member-badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showError } from '../../../ui/toast.tsx';

export function TaskComments({ task }: { task: TaskWithComments }) {
  const add = useCommentTask(task.id);
  const [body, setBody] = useState('');
  const send = () => {
    const text = body.trim();
    if (text === '' || add.isPending) return;
    add.mutate(text, { onSuccess: () => setBody(''), onError: (error) => showError('Not added', error) });
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
      <ol aria-label="Comments" className="flex flex-col gap-3.5">
        {task.commentList.map((comment) => (
          <li key={comment.id} className="flex gap-2.5">
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
          </li>
        ))}
      </ol>
      <form onSubmit={onSubmit} className="mt-3.5 flex flex-col gap-2">
        <TextareaField
          label="Add a comment"
          hideLabel
          placeholder="Add a comment…"
          value={body}
          maxLength={workLimits.comment}
          onChange={(event) => setBody(event.currentTarget.value)}
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

import { Check, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { type Task, workLimits } from '../../../../src/team/work/work.ts';
import { useReviewTask } from '../../../api/work-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

/** The person's word on a task in review; its member gets it by mail. */
export function TaskReview({ task }: { task: Task }) {
  const review = useReviewTask(task.id);
  const [comment, setComment] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const send = (isApproved: boolean) => {
    const text = comment.trim();
    setIsMissing(!isApproved && text === '');
    if (!isApproved && text === '') return;
    review.mutate(
      { isApproved, comment: text },
      {
        onSuccess: () => showToast(isApproved ? `Approved “${task.title}”` : `Asked for changes of “${task.title}”`),
        onError: (error) => showError(isApproved ? 'Not approved' : 'Not sent back', error),
      },
    );
  };
  return (
    <section aria-label="Review" className="rounded-card border border-violet/40 bg-violet-soft/50 p-3.5">
      <TextareaField
        label="Review"
        placeholder="What you think of it"
        value={comment}
        maxLength={workLimits.comment}
        error={isMissing ? 'Say what should change.' : null}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <div className="mt-3 flex flex-wrap justify-end gap-2">
        <Button icon={<Undo2 aria-hidden />} disabled={review.isPending} onClick={() => send(false)}>
          Request changes
        </Button>
        <Button variant="primary" icon={<Check aria-hidden />} disabled={review.isPending} onClick={() => send(true)}>
          Approve
        </Button>
      </div>
    </section>
  );
}

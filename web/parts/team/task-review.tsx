import { Check, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { type Task, workLimits } from '../../../src/team/work/work.ts';
import { useReviewTask } from '../../api/work-queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.tsx';
import { DraftNote } from '../drafts/draft-note.tsx';
import { useFormDraft } from '../drafts/use-form-draft.ts';

/** Approves a task or requests changes. The member gets the result by mail. */
export function TaskReview({ task }: { task: Pick<Task, 'id' | 'title'> }) {
  const review = useReviewTask(task.id);
  const draft = useFormDraft(`task/${task.id}/review`, '');
  const comment = draft.value;
  const [isMissing, setIsMissing] = useState(false);
  const send = (isApproved: boolean) => {
    if (review.isPending) return;
    const text = comment.trim();
    setIsMissing(!isApproved && text === '');
    if (!isApproved && text === '') return;
    // The hub's reply takes this form away, because the task leaves the review.
    draft.save(review.mutateAsync({ isApproved, comment: text }), {
      onSaved: () => showToast(isApproved ? `Approved “${task.title}”` : `Requested changes to “${task.title}”`),
      failure: 'The review could not be sent',
    });
  };
  return (
    <section aria-label="Review" className="rounded-card border border-violet/40 bg-violet-soft/50 p-3.5">
      <DraftNote draft={draft} className="mb-2" />
      <TextareaField
        label="Review"
        placeholder="Your feedback"
        value={comment}
        maxLength={workLimits.comment}
        error={isMissing ? 'Describe what should change.' : null}
        onChange={(event) => draft.set(event.currentTarget.value)}
      />
      <div className="mt-3 flex flex-wrap justify-end gap-2">
        <Button
          icon={<Undo2 aria-hidden />}
          busy={review.isPending && !review.variables.isApproved}
          onClick={() => send(false)}
        >
          Request changes
        </Button>
        <Button
          variant="primary"
          icon={<Check aria-hidden />}
          busy={review.isPending && review.variables.isApproved}
          onClick={() => send(true)}
        >
          Approve
        </Button>
      </div>
    </section>
  );
}

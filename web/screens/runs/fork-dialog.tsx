import { useNavigate } from '@tanstack/react-router';
import { GitFork } from 'lucide-react';
import { useState } from 'react';
import { useForkRun } from '../../api/run-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextareaField } from '../../ui/textarea.tsx';

export interface ForkDialogProps {
  runId: string;
  step: number;
  /** The suggested next message. */
  message: string;
  onClose: () => void;
}

/** Asks for the next message, then opens the run that continues from a step. */
export function ForkDialog({ runId, step, message, onClose }: ForkDialogProps) {
  const navigate = useNavigate();
  const fork = useForkRun(runId);
  const draft = useFormDraft(`run/${runId}/fork/${step}`, message);
  const text = draft.value;
  const [isChecked, setIsChecked] = useState(false);
  return (
    <FormDialog
      title={`Fork from step ${step}`}
      description="Starts a new chat from what this step sent, plus your message. The original chat stays the same."
      submit="Fork"
      submitIcon={<GitFork aria-hidden />}
      request={fork}
      onClose={onClose}
      onSubmit={() => {
        setIsChecked(true);
        if (text.trim() === '') return;
        draft.save(fork.mutateAsync({ step, message: text }), {
          whileOpen: (started) => {
            onClose();
            void navigate({ to: '/runs/$id', params: { id: started.runId } });
          },
        });
      }}
    >
      <DraftNote draft={draft} />
      <TextareaField
        label="Next message"
        rows={5}
        value={text}
        onChange={(event) => draft.set(event.currentTarget.value)}
        error={isChecked && text.trim() === '' ? 'Enter the next message.' : null}
      />
    </FormDialog>
  );
}

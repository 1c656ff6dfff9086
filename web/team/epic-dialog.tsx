import { type FormEvent, useId, useRef, useState } from 'react';
import type { EpicWithTasks } from '../../src/team/work.ts';
import { useChangeEpic, useCreateEpic } from '../api/work-queries.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { errorText } from '../ui/error-state.tsx';
import { TextField } from '../ui/input.tsx';
import { TextareaField } from '../ui/textarea.tsx';
import { showToast } from '../ui/toast.tsx';

export interface EpicDialogProps {
  /** Without it: a new one. */
  epic?: EpicWithTasks;
  onClose: () => void;
}

export function EpicDialog({ epic, onClose }: EpicDialogProps) {
  const formId = useId();
  const titleInput = useRef<HTMLInputElement>(null);
  const create = useCreateEpic();
  const change = useChangeEpic(epic?.id ?? '');
  const { isPending, isSuccess, error } = epic ? change : create;
  const [form, setForm] = useState({
    title: epic?.title ?? '',
    description: epic?.description ?? '',
    linearIssueId: epic?.linearIssueId ?? '',
    linearIssueUrl: epic?.linearIssueUrl ?? '',
  });
  const [wasSent, setWasSent] = useState(false);
  const hasTitle = form.title.trim() !== '';
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { currentTarget: { value: string } }) => setForm({ ...form, [name]: event.currentTarget.value }),
  });

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (!hasTitle || isPending) return;
    const values = {
      title: form.title.trim(),
      description: form.description,
      linearIssueId: form.linearIssueId.trim() || null,
      linearIssueUrl: form.linearIssueUrl.trim() || null,
    };
    const onSuccess = () => {
      showToast(`${epic ? 'Saved' : 'Created'} “${values.title}”`);
      onClose();
    };
    if (epic) change.mutate(values, { onSuccess });
    else create.mutate(values, { onSuccess });
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title={epic ? 'Edit epic' : 'New epic'}
      initialFocus={titleInput}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} busy={isPending || isSuccess}>
            {epic ? 'Save' : 'Create epic'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <TextField
          ref={titleInput}
          label="Title"
          placeholder="User management"
          maxLength={300}
          autoComplete="off"
          error={wasSent && !hasTitle ? 'An epic needs a title.' : null}
          {...field('title')}
        />
        <TextareaField
          label="Description"
          hint="What is there when it is done. Markdown works."
          maxLength={100_000}
          inputClass="min-h-28 max-h-72"
          {...field('description')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Linear issue" placeholder="LIN-123" autoComplete="off" {...field('linearIssueId')} />
          <TextField
            label="Its address"
            placeholder="https://linear.app/…"
            autoComplete="off"
            {...field('linearIssueUrl')}
          />
        </div>
        {error && (
          <p role="alert" className="break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm">
            {errorText(error)}
          </p>
        )}
      </form>
    </Dialog>
  );
}

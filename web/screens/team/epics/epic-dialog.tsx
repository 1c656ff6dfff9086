import { useRef, useState } from 'react';
import { type EpicWithTasks, workLimits } from '../../../../src/team/work/work.ts';
import { useChangeEpic, useCreateEpic } from '../../../api/work-queries.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showToast } from '../../../ui/toast.tsx';

export interface EpicDialogProps {
  /** Without it: a new one. */
  epic?: EpicWithTasks;
  onClose: () => void;
}

export function EpicDialog({ epic, onClose }: EpicDialogProps) {
  const titleInput = useRef<HTMLInputElement>(null);
  const create = useCreateEpic();
  const change = useChangeEpic(epic?.id ?? '');
  const save = epic ? change : create;
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

  const onSubmit = () => {
    setWasSent(true);
    if (!hasTitle || save.isPending) return;
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
    <FormDialog
      onClose={onClose}
      title={epic ? 'Edit epic' : 'New epic'}
      initialFocus={titleInput}
      submit={epic ? 'Save' : 'Create epic'}
      onSubmit={onSubmit}
      request={save}
    >
      <TextField
        ref={titleInput}
        label="Title"
        placeholder="User management"
        maxLength={workLimits.title}
        autoComplete="off"
        error={wasSent && !hasTitle ? 'An epic needs a title.' : null}
        {...field('title')}
      />
      <TextareaField
        label="Description"
        hint="What is there when it is done. Markdown works."
        maxLength={workLimits.description}
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
    </FormDialog>
  );
}

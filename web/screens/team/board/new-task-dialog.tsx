import { useRef, useState } from 'react';
import { workLimits } from '../../../../src/team/work/work.ts';
import { useCreateTask } from '../../../api/work-queries.ts';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { EpicSelect } from '../epics/epic-select.tsx';
import { nobody } from './filter-tasks.ts';

export interface NewTaskDialogProps {
  /** Chosen to begin with. */
  epicId?: string | undefined;
  onClose: () => void;
}

export function NewTaskDialog({ epicId = '', onClose }: NewTaskDialogProps) {
  const titleInput = useRef<HTMLInputElement>(null);
  const create = useCreateTask();
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [epic, setEpic] = useState(epicId === nobody ? '' : epicId);
  const [assignee, setAssignee] = useState('');
  const [wasSent, setWasSent] = useState(false);

  const onSubmit = () => {
    setWasSent(true);
    if (create.isPending || title.trim() === '') return;
    create.mutate(
      {
        title: title.trim(),
        description,
        ...(epic !== '' && { epicId: epic }),
        ...(assignee !== '' && { assigneeId: assignee }),
      },
      {
        onSuccess: (task) => {
          showToast(`Created “${task.title}”`);
          onClose();
        },
      },
    );
  };

  return (
    <FormDialog
      onClose={onClose}
      title="New task"
      initialFocus={titleInput}
      submit="Create task"
      onSubmit={onSubmit}
      request={create}
    >
      <TextField
        ref={titleInput}
        label="Title"
        placeholder="Add JWT-based authentication"
        value={title}
        maxLength={workLimits.title}
        autoComplete="off"
        error={wasSent && title.trim() === '' ? 'A task needs a title.' : null}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextareaField
        label="Description"
        hint="What is to be done, and how to tell that it is. Markdown works."
        value={description}
        maxLength={workLimits.description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        inputClass="min-h-28 max-h-72"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Epic">{({ id }) => <EpicSelect id={id} value={epic} onChange={setEpic} />}</Field>
        <Field label="Assignee" hint={assignee === '' ? 'Whoever is free may claim it.' : undefined}>
          {({ id }) => (
            <MemberSelect id={id} label="Assignee" none="Nobody yet" value={assignee} onChange={setAssignee} />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}

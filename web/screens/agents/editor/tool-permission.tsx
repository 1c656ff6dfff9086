import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import type { Draft, EditDraft } from './draft.ts';

const permissions: readonly { value: Draft['toolPermission']; label: string; meaning: string }[] = [
  {
    value: 'tool',
    label: 'Ask where the tool wants it',
    meaning: 'A person approves calls of tools that ask for it; all others run at once.',
  },
  { value: 'always', label: 'Ask before every call', meaning: 'A person approves every single call.' },
  { value: 'never', label: 'Never ask', meaning: 'Every call runs at once, also of tools that delete or send.' },
];

export interface ToolPermissionProps {
  value: Draft['toolPermission'];
  editable: boolean;
  edit: (edit: EditDraft) => void;
}

/** When an agent that the hub runs asks a person. Clients have rules of their own. */
export function ToolPermission({ value, editable, edit }: ToolPermissionProps) {
  const chosen = permissions.find((permission) => permission.value === value);
  return (
    <Field label="When it runs on the hub" hint={chosen?.meaning}>
      {({ id }) => (
        <Select
          id={id}
          label="When it runs on the hub"
          value={value}
          options={permissions}
          disabled={!editable}
          onChange={(toolPermission) => edit((draft) => ({ ...draft, toolPermission }))}
          className="self-start max-sm:w-full"
        />
      )}
    </Field>
  );
}

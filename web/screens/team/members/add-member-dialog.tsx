import { useId, useRef, useState } from 'react';
import { MemberId, type MemberType } from '../../../../src/team/members/member.ts';
import type { MemberTokenBody } from '../../../../src/team/members/members.contract.ts';
import { useAddMember } from '../../../api/team-queries.ts';
import { AgentCombobox } from '../../../parts/agents/agent-combobox.tsx';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { memberTypeNames, memberTypes } from '../../../parts/team/member-badge.tsx';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';

export interface AddMemberDialogProps {
  taken: readonly string[];
  onAdded: (added: MemberTokenBody) => void;
  onClose: () => void;
}

const typeHints: Record<MemberType, string> = {
  SUPERVISOR: 'Calls every tool, and creates and stops workers.',
  ORCHESTRATOR: 'Creates epics and tasks, assigns them to workers and reviews them.',
  WORKER: 'Works on one task at a time, and writes mails and comments.',
};

export function AddMemberDialog({ taken, onAdded, onClose }: AddMemberDialogProps) {
  const tokenId = useId();
  const idInput = useRef<HTMLInputElement>(null);
  const add = useAddMember();
  const draft = useFormDraft('member/new', empty);
  const { id, agent, type, supervisorId, withToken } = draft.value;
  const change = (fields: Partial<typeof empty>) => draft.set((before) => ({ ...before, ...fields }));
  const [wasSent, setWasSent] = useState(false);
  const problem = wasSent && !add.isSuccess ? checkMemberId(id.trim(), taken) : null;

  const onSubmit = () => {
    setWasSent(true);
    if (add.isPending || checkMemberId(id.trim(), taken)) return;
    const member = {
      ...(id.trim() !== '' && { id: id.trim() }),
      type,
      agent: agent === '' ? null : agent,
      supervisorId: supervisorId === '' ? null : supervisorId,
      withToken,
    };
    // Even if the dialog was closed: the token is shown only now.
    draft.save(add.mutateAsync(member), { onSaved: onAdded, whileOpen: onClose });
  };

  return (
    <FormDialog
      onClose={onClose}
      title="Add member"
      description="A running instance of an agent with its own inbox, task and permissions."
      initialFocus={idInput}
      submit="Add member"
      onSubmit={onSubmit}
      request={add}
    >
      <DraftNote draft={draft} />
      <TextField
        ref={idInput}
        label="ID"
        placeholder="worker-1"
        value={id}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        inputClass="font-mono"
        hint="Its permanent name and mail address. Leave empty to generate one."
        error={problem}
        onChange={(event) => change({ id: event.currentTarget.value })}
      />
      <div className="flex flex-col gap-1.5">
        <span aria-hidden className="font-medium text-sm">
          Type
        </span>
        <Segmented
          label="Type"
          value={type}
          onChange={(next) => change({ type: next })}
          options={memberTypes.map((value) => ({ value, label: memberTypeNames[value] }))}
          className="w-full"
        />
        <p className="text-muted text-xs">{typeHints[type]}</p>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <AgentCombobox
          label="Agent"
          hint="The member may also call the tools in the agent's scope."
          none="No agent"
          value={agent}
          onChange={(next) => change({ agent: next })}
        />
        <Field label="Supervisor" hint="Gets a mail when its calls fail.">
          {({ id: fieldId }) => (
            <MemberSelect
              id={fieldId}
              label="Supervisor"
              none="You"
              value={supervisorId}
              onChange={(next) => change({ supervisorId: next })}
            />
          )}
        </Field>
      </div>
      <label htmlFor={tokenId} className="flex items-start gap-2.5 text-sm">
        <Checkbox
          id={tokenId}
          checked={withToken}
          onChange={(event) => change({ withToken: event.currentTarget.checked })}
          className="mt-0.5"
        />
        <span>
          Create token
          <span className="block text-muted text-xs">
            Authenticates the member. Once one member has a token, every member needs one.
          </span>
        </span>
      </label>
    </FormDialog>
  );
}

const empty = { id: '', agent: '', type: 'WORKER' as MemberType, supervisorId: '', withToken: true };

/** Checks the id with the hub's own rule before sending. */
function checkMemberId(id: string, taken: readonly string[]): string | null {
  if (id === '') return null;
  if (taken.includes(id)) return `A member named “${id}” already exists.`;
  const problem = MemberId.safeParse(id).error?.issues[0];
  return problem ? `The id ${problem.message}.` : null;
}

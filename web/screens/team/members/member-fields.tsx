import { Link } from '@tanstack/react-router';
import type { Member, MemberChange, MemberType } from '../../../../src/team/members/member.ts';
import { useChangeMember } from '../../../api/team-queries.ts';
import { AgentCombobox } from '../../../parts/agents/agent-combobox.tsx';
import { memberStateNames, memberTypeNames, memberTypes } from '../../../parts/team/member-badge.tsx';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { Field } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import { showError } from '../../../ui/toast.tsx';

const memberStates = ['IDLE', 'BUSY', 'WAITING', 'FAILED'] as const;

/** Edits a member. Its task and epic follow from its work. */
export function MemberFields({ member }: { member: Member }) {
  const change = useChangeMember(member.id);
  const set = (next: MemberChange) =>
    change.mutate(next, { onError: (error) => showError('The member could not be changed', error) });
  const agent = member.agent ?? '';
  return (
    <section aria-label="Details" className="grid gap-x-4 gap-y-3.5 sm:grid-cols-2">
      <Field label="Type">
        {({ id }) => (
          <Select<MemberType>
            id={id}
            label="Type"
            value={member.type}
            onChange={(type) => set({ type })}
            options={memberTypes.map((value) => ({ value, label: memberTypeNames[value] }))}
          />
        )}
      </Field>
      <Field label="State">
        {({ id }) => (
          <Select<Member['state']>
            id={id}
            label="State"
            value={member.state}
            onChange={(state) => set({ state })}
            options={memberStates.map((value) => ({ value, label: memberStateNames[value] }))}
          />
        )}
      </Field>
      <AgentCombobox
        label="Agent"
        hint={
          agent !== '' && (
            <Link to="/a/$id" params={{ id: agent }} className="text-accent-text underline-offset-2 hover:underline">
              Open agent
            </Link>
          )
        }
        none="No agent"
        value={agent}
        onChange={(next) => set({ agent: next === '' ? null : next })}
      />
      <Field label="Supervisor">
        {({ id }) => (
          <MemberSelect
            id={id}
            label="Supervisor"
            none="You"
            except={member.id}
            value={member.supervisorId ?? ''}
            onChange={(next) => set({ supervisorId: next === '' ? null : next })}
          />
        )}
      </Field>
      {member.tmuxSessionName !== null && (
        <p className="text-muted text-xs sm:col-span-2">
          tmux session <code className="font-mono">{member.tmuxSessionName}</code>
        </p>
      )}
    </section>
  );
}

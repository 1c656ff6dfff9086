import { UserRound } from 'lucide-react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { useAgents } from '../../api/queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { MemberAvatar } from '../../parts/team/member-badge.tsx';
import { Select } from '../../ui/select.tsx';
import type { CallAs } from './call-as.ts';

export interface RunAsProps {
  tool: ToolDetailBody;
  as: CallAs;
  onChange: (as: CallAs) => void;
}

/** Whose call it is to be. Those who may not are offered, too: to see the refusal is a test as well. */
export function RunAs({ tool, as, onChange }: RunAsProps) {
  const agents = useAgents().data?.agents ?? [];
  const members = useMembers().data?.members ?? [];
  const inScope = new Set(tool.agents.map((agent) => agent.id));
  const mayCall = new Set(tool.memberTypes);
  const options = [
    {
      value: 'person',
      label: tool.isForMembers ? 'You (only members may call it)' : 'You',
      icon: <UserRound aria-hidden className="size-4 text-faint" />,
    },
    ...agents
      .toSorted((left, right) => Number(inScope.has(right.id)) - Number(inScope.has(left.id)))
      .map((agent) => ({
        value: `agent:${agent.id}`,
        label: `In the scope of ${agent.name}${inScope.has(agent.id) ? '' : ' (not in it)'}`,
        icon: <AgentAvatar id={agent.id} size={18} />,
      })),
    ...members.map((member) => ({
      value: `member:${member.id}`,
      label: `As ${member.id}${mayCall.has(member.type) ? '' : ' (may not)'}`,
      icon: <MemberAvatar id={member.id} size={18} />,
    })),
  ];
  const value = as.kind === 'person' ? 'person' : `${as.kind}:${as.id}`;
  return (
    <Select
      label="Run as"
      prefix="Run as"
      value={value}
      options={
        options.some((option) => option.value === value)
          ? options
          : [...options, { value, label: as.kind === 'person' ? 'You' : as.id, icon: null }]
      }
      onChange={(next) => onChange(readAs(next))}
      className="max-w-72 max-sm:w-full max-sm:max-w-none"
    />
  );
}

function readAs(value: string): CallAs {
  if (value.startsWith('agent:')) return { kind: 'agent', id: value.slice('agent:'.length) };
  if (value.startsWith('member:')) return { kind: 'member', id: value.slice('member:'.length) };
  return { kind: 'person' };
}

import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX, Hand } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { MemberTypeBadge, memberTypes } from '../../parts/team/member-badge.tsx';
import { LongList } from '../../ui/long-list.tsx';

const hintTexts: { hint: keyof ToolDetailBody['annotations']; yes: string; no: string }[] = [
  { hint: 'readOnlyHint', yes: 'Read-only: changes nothing.', no: 'Can make changes.' },
  {
    hint: 'destructiveHint',
    yes: 'Can overwrite or delete data.',
    no: 'Only adds data. Never overwrites or deletes.',
  },
  {
    hint: 'idempotentHint',
    yes: 'Repeating the same call has no further effect.',
    no: 'Repeating the same call can have a further effect.',
  },
  {
    hint: 'openWorldHint',
    yes: 'Reaches open systems, such as the web.',
    no: 'Works only within a closed system.',
  },
];

/** Shows who may call a tool and its annotations. */
export function AccessView({ tool }: { tool: ToolDetailBody }) {
  const { annotations, agents, isForMembers, requiresApproval } = tool;
  const types = memberTypes.filter((type) => tool.memberTypes.includes(type));
  const shown = hintTexts.filter(
    ({ hint }) => !(annotations.readOnlyHint && hint !== 'readOnlyHint' && hint !== 'openWorldHint'),
  );
  return (
    <div className="flex flex-col gap-6">
      <Section title="You">
        <p className="flex items-start gap-2 text-sm [&>svg]:mt-0.5 [&>svg]:shrink-0">
          {isForMembers ? (
            <>
              <CircleX aria-hidden className="size-4 text-faint" />
              No. This tool acts for the member that calls it.
            </>
          ) : (
            <>
              <CircleCheck aria-hidden className="size-4 text-accent-text" />
              Yes: here, on the command line, and from any client connected to the whole hub.
            </>
          )}
        </p>
      </Section>
      <Section title="Agents" note={agents.length > 0 ? agents.length.toLocaleString('en') : ''}>
        {agents.length === 0 ? (
          <p className="text-muted text-sm">No agent has this tool. Add it in an agent’s editor under Tools.</p>
        ) : (
          <LongList
            label="Agents with this tool"
            items={agents}
            keyOf={(agent) => agent.id}
            estimateSize={38}
            className="flex flex-wrap gap-1.5 [&>li]:max-w-full"
          >
            {(agent) => (
              <Link
                to="/a/$id"
                params={{ id: agent.id }}
                search={{ tab: 'tools' }}
                className="inline-flex h-8 max-w-full items-center gap-2 rounded-lg border border-line bg-raised pr-2.5 pl-1.5 text-sm hover:bg-hover max-md:h-10"
              >
                <AgentAvatar id={agent.id} size={20} />
                <span className="truncate">{agent.name}</span>
              </Link>
            )}
          </LongList>
        )}
        {requiresApproval && (
          <p className="mt-2 flex items-start gap-2 text-muted text-xs">
            <Hand aria-hidden className="mt-0.5 size-3.5 shrink-0 text-violet" />
            Agents that run on the hub ask for your approval before this call, unless approval is turned off for the
            agent.
          </p>
        )}
      </Section>
      <Section title="Members">
        {types.length === 0 ? (
          <p className="text-muted text-sm">No member type may call it.</p>
        ) : (
          <p className="flex flex-wrap items-center gap-1.5">
            {types.map((type) => (
              <MemberTypeBadge key={type} type={type} />
            ))}
            <Link to="/team/permissions" className="ml-1 text-accent-text text-xs hover:underline">
              All permissions
            </Link>
          </p>
        )}
      </Section>
      <Section title="Annotations">
        <ul className="flex flex-col gap-1 text-sm">
          {shown.map(({ hint, yes, no }) => (
            <li key={hint} className="flex flex-wrap items-baseline gap-x-2">
              <span>{annotations[hint] ? yes : no}</span>
              <code className="font-mono text-2xs text-faint">
                {hint}: {String(annotations[hint])}
              </code>
            </li>
          ))}
        </ul>
        {tool.server && (
          <p className="mt-2 text-muted text-xs">Declared by the server. The hub does not verify them.</p>
        )}
      </Section>
    </div>
  );
}

function Section({ title, note = '', children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-semibold text-sm">
        {title}
        {note && <span className="ml-2 font-normal text-faint text-xs">{note}</span>}
      </h3>
      {children}
    </section>
  );
}

import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX, Hand } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { formatCount } from '../../ui/format-count.ts';

const says: { hint: keyof ToolDetailBody['annotations']; yes: string; no: string }[] = [
  { hint: 'readOnlyHint', yes: 'It only reads and changes nothing.', no: 'It changes things.' },
  {
    hint: 'destructiveHint',
    yes: 'It can overwrite or delete.',
    no: 'It only adds; nothing is overwritten or deleted.',
  },
  {
    hint: 'idempotentHint',
    yes: 'The same call a second time changes nothing more.',
    no: 'The same call a second time can have a second effect.',
  },
  {
    hint: 'openWorldHint',
    yes: 'It reaches out to things nobody can list beforehand, the web for one.',
    no: 'It works within a closed set of things.',
  },
];

/** Who may call a tool, and what it says of itself. */
export function AccessView({ tool }: { tool: ToolDetailBody }) {
  const { annotations, agents, memberTypes, isForMembers, requiresApproval } = tool;
  const shown = says.filter(
    ({ hint }) => !(annotations.readOnlyHint && hint !== 'readOnlyHint' && hint !== 'openWorldHint'),
  );
  return (
    <div className="flex flex-col gap-6">
      <Section title="The person">
        <p className="flex items-center gap-2 text-sm">
          {isForMembers ? (
            <>
              <CircleX aria-hidden className="size-4 text-faint" />
              No: it acts for the member that calls it.
            </>
          ) : (
            <>
              <CircleCheck aria-hidden className="size-4 text-accent-text" />
              Yes, here, on the command line and by any client connected to the whole hub.
            </>
          )}
        </p>
      </Section>
      <Section
        title="Agents"
        note={agents.length > 0 ? formatCount(agents.length, 'scope has it', 'scopes have it') : ''}
      >
        {agents.length === 0 ? (
          <p className="text-muted text-sm">In no agent’s scope. It is added in the agent’s editor, under Tools.</p>
        ) : (
          <ul className="flex flex-wrap gap-1.5">
            {agents.map((agent) => (
              <li key={agent.id} className="max-w-full">
                <Link
                  to="/a/$id"
                  params={{ id: agent.id }}
                  search={{ tab: 'tools' }}
                  className="inline-flex h-8 max-w-full items-center gap-2 rounded-lg border border-line bg-raised pr-2.5 pl-1.5 text-sm hover:bg-hover max-md:h-10"
                >
                  <AgentAvatar id={agent.id} size={20} />
                  <span className="truncate">{agent.name}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
        {requiresApproval && (
          <p className="mt-2 flex items-start gap-2 text-muted text-xs">
            <Hand aria-hidden className="mt-0.5 size-3.5 shrink-0 text-violet" />
            An agent that runs on the hub asks a person before it calls this tool, unless the agent never asks.
          </p>
        )}
      </Section>
      <Section title="Members of the team">
        {memberTypes.length === 0 ? (
          <p className="text-muted text-sm">No type of member may call it.</p>
        ) : (
          <p className="flex flex-wrap items-center gap-1.5">
            {memberTypes.map((type) => (
              <Badge key={type} tone="info">
                {type}
              </Badge>
            ))}
            <Link to="/team/permissions" className="ml-1 text-accent-text text-xs hover:underline">
              All permissions
            </Link>
          </p>
        )}
      </Section>
      <Section title="What it says of itself">
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
          <p className="mt-2 text-muted text-xs">The server says so; the hub does not check whether it is true.</p>
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

import { Link } from '@tanstack/react-router';
import { Sparkles, Wrench } from 'lucide-react';
import { memo } from 'react';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { SourceBadge } from '../../../parts/agents/source-badge.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { AgentCardMenu } from './agent-card-menu.tsx';

/** The height is fixed so that ten thousand cards can be laid out without measuring one. */
export const cardHeight = 158;

export const AgentCard = memo(function AgentCard({ agent, index }: { agent: AgentSummary; index: number }) {
  return (
    <article
      className="group relative flex h-[158px] flex-col rounded-card border border-line bg-surface p-4 shadow-card transition-[border-color,box-shadow] focus-within:border-accent hover:border-line-strong hover:shadow-pop"
      aria-labelledby={`agent-${agent.id}`}
    >
      <div className="flex items-start gap-3">
        <AgentAvatar
          id={agent.id}
          size={44}
          className="transition-transform duration-300 motion-safe:group-hover:-rotate-4 motion-safe:group-hover:scale-106"
        />
        <div className="min-w-0 flex-1">
          <h2 id={`agent-${agent.id}`} className="truncate pr-7 font-semibold text-base leading-5.5">
            <Link
              to="/a/$id"
              params={{ id: agent.id }}
              data-card={index}
              className="outline-none after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-2 focus-visible:after:outline-(--focus) focus-visible:after:outline-offset-1"
            >
              {agent.name}
            </Link>
          </h2>
          <p className="truncate font-mono text-2xs text-faint">{agent.id}</p>
        </div>
      </div>
      <p className="mt-2.5 line-clamp-2 min-h-10 text-muted text-sm leading-5">
        {agent.description || <span className="text-faint italic">No description yet</span>}
      </p>
      <div className="mt-auto flex items-center gap-3 text-faint text-xs">
        <SourceBadge source={agent.source} place={agent.place} />
        <Skills agent={agent} />
        {agent.tools.length > 0 && (
          <span className="inline-flex items-center gap-1" title={`Tools in scope: ${agent.tools.join(', ')}`}>
            <Wrench aria-hidden className="size-3" />
            <span className="tabular-nums">{agent.tools.length}</span>
            <span className="sr-only">tools in scope</span>
          </span>
        )}
        {agent.updatedAt && <RelativeTime at={agent.updatedAt} className="ml-auto whitespace-nowrap" />}
      </div>
      <div className="absolute top-2.5 right-2.5">
        <AgentCardMenu agent={agent} />
      </div>
    </article>
  );
});

function Skills({ agent }: { agent: AgentSummary }) {
  const { enabled, total } = agent.skills;
  if (total === 0) return null;
  return (
    <span className="inline-flex items-center gap-1.5" title={agent.categories.map((each) => each.name).join(', ')}>
      <Sparkles aria-hidden className="size-3" />
      <span className="tabular-nums">{enabled === total ? total : `${enabled}/${total}`}</span>
      <span className="sr-only">{enabled === total ? 'skills' : 'skills enabled'}</span>
      <span aria-hidden className="flex gap-0.5">
        {agent.categories.slice(0, 5).map((category) => (
          <span key={category.name} className="size-2 rounded-full" style={{ backgroundColor: category.color }} />
        ))}
      </span>
    </span>
  );
}

import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, PencilLine, Sparkles, SquareCheck, Star, Wrench } from 'lucide-react';
import { memo } from 'react';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { useCloneAgent, useDeleteAgent, useUndeleteAgent } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { AgentMenuItems } from '../../../parts/agents/agent-menu-items.tsx';
import { setFavourite } from '../../../parts/agents/favourites.ts';
import { SourceBadge } from '../../../parts/agents/source-badge.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import type { Selection } from './use-selection.ts';

/** Fixed, so that ten thousand cards can be laid out without measuring any. */
export const cardHeight = 158;

interface AgentCardProps {
  agent: AgentSummary;
  index: number;
  isFavourite: boolean;
  isSelected: boolean;
  /** Another card is selected, so every card shows its checkbox. */
  isSelecting: boolean;
  onSelect: Selection['toggle'];
}

export const AgentCard = memo(function AgentCard(props: AgentCardProps) {
  const { agent, index, isFavourite, isSelected, isSelecting, onSelect } = props;
  return (
    <article
      className="group relative flex h-[158px] flex-col rounded-card border border-line bg-surface p-4 has-checked:border-accent has-checked:bg-accent-soft shadow-card transition-[border-color,box-shadow] focus-within:border-accent hover:border-line-strong hover:shadow-pop"
      aria-labelledby={`agent-${agent.id}`}
    >
      <div className="flex items-start gap-3">
        <AgentAvatar
          id={agent.id}
          size={44}
          className="transition-transform duration-300 motion-safe:group-hover:-rotate-4 motion-safe:group-hover:scale-106"
        />
        <div className="min-w-0 flex-1">
          <h2 id={`agent-${agent.id}`} className="truncate pr-14 font-semibold text-base leading-5.5">
            <Link
              to="/a/$id"
              params={{ id: agent.id }}
              data-card={index}
              data-row={index}
              className="outline-none after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-2 focus-visible:after:outline-(--focus) focus-visible:after:outline-offset-1"
            >
              {agent.name}
            </Link>
          </h2>
          <p className="flex min-w-0 items-center gap-1.5">
            <span className="shrink truncate font-mono text-2xs text-faint">{agent.id}</span>
            <Tags tags={agent.tags} />
          </p>
        </div>
      </div>
      <p className="mt-2.5 line-clamp-2 min-h-10 text-muted text-sm leading-5">
        {agent.description || <span className="text-faint italic">No description yet</span>}
      </p>
      <div className="mt-auto flex items-center gap-3 text-faint text-xs">
        <SourceBadge source={agent.source} definedIn={agent.place} />
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
      <Checkbox
        aria-label={`Select ${agent.name}`}
        checked={isSelected}
        onChange={(event) => onSelect(agent.id, { toHere: (event.nativeEvent as MouseEvent).shiftKey })}
        className={classes(
          'absolute top-2 left-2 z-10 transition-opacity',
          !isSelecting && 'opacity-0 focus-visible:opacity-100 group-hover:opacity-100',
        )}
      />
      <div className="absolute top-2.5 right-2.5 flex">
        <IconButton
          label={isFavourite ? `Remove ${agent.name} from favourites` : `Add ${agent.name} to favourites`}
          size="sm"
          icon={<Star aria-hidden className={classes(isFavourite && 'fill-current text-warn')} />}
          onClick={() => setFavourite(agent.id, !isFavourite)}
          className={classes(
            'transition-opacity',
            !isFavourite && 'opacity-0 focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100',
          )}
        />
        <AgentCardMenu agent={agent} isSelected={isSelected} onSelect={() => onSelect(agent.id)} />
      </div>
    </article>
  );
});

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const [first = '', ...others] = tags;
  return (
    <span className="flex min-w-0 items-center gap-1 text-2xs text-muted" title={tags.join(', ')}>
      <span className="truncate rounded bg-sunken px-1.5">{first}</span>
      {others.length > 0 && (
        <>
          <span aria-hidden>+{others.length}</span>
          <span className="sr-only">{others.join(', ')}</span>
        </>
      )}
    </span>
  );
}

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

interface AgentCardMenuProps {
  agent: AgentSummary;
  isSelected: boolean;
  onSelect: () => void;
}

function AgentCardMenu({ agent, isSelected, onSelect }: AgentCardMenuProps) {
  const { copyAgent, removeAgent } = useAgentActions();
  return (
    <Menu trigger={<IconButton label={`Actions for ${agent.name}`} size="sm" icon={<Ellipsis aria-hidden />} />}>
      <MenuItem icon={<PencilLine aria-hidden />} render={<Link to="/a/$id" params={{ id: agent.id }} />}>
        {agent.editable ? 'Open' : 'Open (read only)'}
      </MenuItem>
      <MenuItem icon={<SquareCheck aria-hidden />} onClick={onSelect}>
        {isSelected ? 'Deselect' : 'Select'}
      </MenuItem>
      <AgentMenuItems agent={agent} onClone={() => copyAgent(agent)} onDelete={() => removeAgent(agent)} />
    </Menu>
  );
}

/** Toasts follow the promise, not the component: the card may be gone before the hub replies. */
function useAgentActions() {
  const navigate = useNavigate();
  const clone = useCloneAgent();
  const remove = useDeleteAgent();
  const undelete = useUndeleteAgent();
  return {
    copyAgent(agent: AgentSummary) {
      clone.mutateAsync({ id: agent.id }).then(
        (copy) =>
          showToast(`“${agent.name}” cloned`, {
            action: { label: 'Open', onClick: () => void navigate({ to: '/a/$id', params: { id: copy.id } }) },
          }),
        (error) => showError(`“${agent.name}” could not be cloned`, error),
      );
    },
    removeAgent(agent: AgentSummary) {
      const restore = () =>
        undelete.mutateAsync(agent.id).then(
          () => showToast(`“${agent.name}” restored`),
          (error) => showError(`“${agent.name}” could not be restored`, error),
        );
      remove.mutateAsync(agent.id).then(
        () => showToast(`“${agent.name}” deleted`, { action: { label: 'Undo', onClick: () => void restore() } }),
        (error) => showError(`“${agent.name}” could not be deleted`, error),
      );
    },
  };
}

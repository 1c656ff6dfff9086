import { Link } from '@tanstack/react-router';
import { useOpenChats } from '../../../api/chat-queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { useComparisons } from './comparisons.ts';

const maxShown = 6;

/** Leads back to earlier comparisons in this browser. Those with a deleted chat are left out. */
export function EarlierComparisons() {
  const list = useComparisons().slice(0, maxShown);
  const chats = new Map(
    useOpenChats([...new Set(list.flatMap(({ left, right }) => [left, right]))]).map(({ id, chat }) => [id, chat]),
  );
  const shown = list.flatMap(({ left, right }) => {
    const [first, second] = [chats.get(left), chats.get(right)];
    return first && second ? [{ first, second }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <nav aria-label="Earlier comparisons" className="flex items-center gap-2 border-line border-b px-4 py-1.5">
      <span aria-hidden className="shrink-0 text-faint text-xs">
        Earlier
      </span>
      <ul className="flex min-w-0 items-center gap-1 overflow-x-auto py-0.5 [scrollbar-width:none]">
        {shown.map(({ first, second }) => (
          <li key={`${first.id} ${second.id}`} className="shrink-0">
            <Link
              to="/chat/compare"
              search={{ left: first.id, right: second.id }}
              title={first.title}
              className="flex h-8 max-w-64 items-center gap-1.5 rounded-lg px-2 text-muted text-xs outline-offset-[-2px] hover:bg-hover hover:text-text"
            >
              <span className="flex shrink-0 -space-x-1.5">
                <AgentAvatar id={first.agentId} size={20} />
                <AgentAvatar id={second.agentId} size={20} />
              </span>
              <span className="truncate">{first.title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

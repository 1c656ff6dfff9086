import { Plug, SquareTerminal, User } from 'lucide-react';
import { userId } from '../../../src/base/user-id.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { MemberName } from '../../parts/team/member-badge.tsx';

export interface CallerNameProps {
  caller: { agentId: string | null; client?: string; persona: string | null; surface: string };
}

const surfaceNames: Record<string, string> = {
  mcp: 'MCP',
  http: 'HTTP',
  cli: 'Command line',
  web: 'Web app',
  engine: 'A run on the hub',
  a2a: 'A2A',
};

/** Shows who called: the member, else the client, else the agent, else the surface of the call. */
export function CallerName({ caller: { agentId, client, persona, surface } }: CallerNameProps) {
  if (agentId === userId) return <Named icon={User}>You</Named>;
  if (agentId !== null) return <MemberName id={agentId} className="max-w-full" />;
  if (client !== undefined) return <Named icon={Plug}>{client}</Named>;
  if (persona !== null) {
    return (
      <span className="inline-flex min-w-0 max-w-full items-center gap-1.5" title={`Agent ${persona}`}>
        <AgentAvatar id={persona} size={18} />
        <span className="min-w-0 truncate">{persona}</span>
      </span>
    );
  }
  return <Named icon={surface === 'cli' ? SquareTerminal : Plug}>{surfaceName(surface)}</Named>;
}

function Named({ icon: Icon, children }: { icon: typeof Plug; children: string }) {
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1.5 text-muted">
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 truncate">{children}</span>
    </span>
  );
}

export function surfaceName(surface: string): string {
  return surfaceNames[surface] ?? surface;
}

import type { AgentMode } from '../../../../src/agents/agent.ts';
import { CopyLine, type CopyLineProps } from '../../../ui/copy-line.tsx';

interface ReachedAtProps {
  agentId: string;
  mode: AgentMode;
  /** The mode is the hub's, too: only then does anybody answer there. */
  isSaved: boolean;
}

/** Where other programs find the agent. In Interactive mode it has no address of its own. */
export function ReachedAt({ agentId, mode, isSaved }: ReachedAtProps) {
  if (mode === 'interactive') return null;
  return (
    <section
      aria-label="Where others reach this agent"
      className="flex flex-wrap items-center -mt-1.5 gap-x-5 px-2 text-muted text-xs"
    >
      {addresses[mode].map(({ path, ...line }) => (
        <CopyLine key={path} {...line} text={new URL(`/agents/${agentId}${path}`, window.location.href).href} />
      ))}
      {!isSaved && <span className="text-warn">Answers once it is saved.</span>}
    </section>
  );
}

type Address = Omit<CopyLineProps, 'text'> & { path: string };

const addresses: Record<Exclude<AgentMode, 'interactive'>, Address[]> = {
  autonomous: [
    { label: 'A2A card', what: 'address of the A2A card', path: '/.well-known/agent-card.json' },
    { label: 'A2A endpoint', what: 'A2A endpoint', path: '/a2a' },
  ],
  tools: [{ label: 'MCP', what: 'MCP address', path: '/mcp' }],
};

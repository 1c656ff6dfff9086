import type { AgentMode } from '../../../../src/agents/agent.ts';
import { useHubAddress } from '../../../api/access-queries.ts';
import { CopyLine, type CopyLineProps } from '../../../ui/copy-line.tsx';

interface ReachedAtProps {
  agentId: string;
  mode: AgentMode;
  /** Whether it offers tools, which an autonomous agent serves as well. */
  hasTools: boolean;
  /** Whether the mode is saved; the addresses work only then. */
  isSaved: boolean;
}

/** The addresses at which other programs reach the agent. In Interactive mode there are none. */
export function ReachedAt({ agentId, mode, hasTools, isSaved }: ReachedAtProps) {
  const hub = useHubAddress();
  if (mode === 'interactive') return null;
  const shown = [...addresses[mode], ...(mode === 'autonomous' && hasTools ? addresses.tools : [])];
  return (
    <section aria-label="Addresses" className="flex flex-wrap items-center -mt-1.5 gap-x-5 px-2 text-muted text-xs">
      {shown.map(({ path, ...line }) => (
        <CopyLine key={path} {...line} text={`${hub}/agents/${agentId}${path}`} />
      ))}
      {!isSaved && <span className="text-warn">Available once saved.</span>}
    </section>
  );
}

type Address = Omit<CopyLineProps, 'text'> & { path: string };

const addresses: Record<Exclude<AgentMode, 'interactive'>, Address[]> = {
  autonomous: [
    { label: 'A2A card', what: 'A2A card address', path: '/.well-known/agent-card.json' },
    { label: 'A2A endpoint', what: 'A2A endpoint', path: '/a2a' },
  ],
  tools: [{ label: 'MCP', what: 'MCP address', path: '/mcp' }],
};

import { Server } from 'lucide-react';
import type { AgentMode } from '../../../../src/agents/agent.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyLine } from '../../../ui/copy-line.tsx';
import { Switch } from '../../../ui/switch.tsx';

export interface ServedAtProps {
  agentId: string;
  mode: AgentMode;
  shareContext: boolean;
  editable: boolean;
  onMode: (mode: AgentMode) => void;
  onShareContext: (shareContext: boolean) => void;
}

const modeNames: Record<AgentMode, string> = { interactive: 'Interactive', autonomous: 'Autonomous', tools: 'Tools' };

/** Where others find the tools; or, in another mode, that nobody does. */
export function ServedAt({ agentId, mode, shareContext, editable, onMode, onShareContext }: ServedAtProps) {
  if (mode !== 'tools') {
    return (
      <Banner
        tone="info"
        icon={<Server />}
        actions={
          editable && (
            <Button size="sm" onClick={() => onMode('tools')}>
              Switch to Tools mode
            </Button>
          )
        }
      >
        This agent is in {modeNames[mode]} mode. What it offers is kept and can be tested; others can call it in Tools
        mode.
      </Banner>
    );
  }
  return (
    <section
      aria-label="Where the tools are served"
      className="flex flex-wrap items-center gap-x-6 gap-y-2 rounded-xl border border-line bg-surface px-3.5 py-2.5"
    >
      <CopyLine label="HTTP" what="address" text={new URL(`/agents/${agentId}/mcp`, window.location.href).href} />
      <CopyLine label="stdio" what="command" text={`zoo agent serve ${agentId}`} />
      <span className="flex items-center gap-2 text-xs">
        <Switch
          label="Calls of one client share a conversation"
          checked={shareContext}
          disabled={!editable}
          onChange={onShareContext}
        />
        <span aria-hidden>Calls of one client share a conversation</span>
      </span>
    </section>
  );
}

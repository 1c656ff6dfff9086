import { Braces, Code2, Database, FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AgentSourceKind } from '../../../src/agents/agent.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';

export const sourceLabels: Record<AgentSourceKind, string> = { store: 'Store', toml: 'TOML', lua: 'Lua', code: 'Code' };

const looks: Record<AgentSourceKind, { tone: BadgeTone; icon: ReactNode }> = {
  store: { tone: 'accent', icon: <Database aria-hidden /> },
  toml: { tone: 'warn', icon: <FileText aria-hidden /> },
  lua: { tone: 'info', icon: <Braces aria-hidden /> },
  code: { tone: 'violet', icon: <Code2 aria-hidden /> },
};

/** Shows where an agent is defined; `definedIn` names the file. */
export function SourceBadge({ source, definedIn }: { source: AgentSourceKind; definedIn?: string }) {
  const { tone, icon } = looks[source];
  return (
    <Badge tone={tone} icon={icon} {...(definedIn && { title: `Defined in ${definedIn}` })}>
      {sourceLabels[source]}
    </Badge>
  );
}

import type { Tool } from '../tools/tool.ts';
import { mailTools } from './mail/mail.tools.ts';
import { introspectionTools } from './members/introspection.tools.ts';
import { orchestratorTools } from './members/orchestrator.tools.ts';
import { supervisorTools } from './members/supervisor.tools.ts';
import { systemTools } from './system.tools.ts';
import type { Team } from './team.ts';
import type { TeamParts } from './team-parts.ts';
import { epicTools } from './work/epics.tools.ts';
import { taskTools } from './work/tasks.tools.ts';

/** Returns the tools that members of the team can call. */
export function teamTools(team: Team, parts: Pick<TeamParts, 'clock' | 'decisions' | 'redact'>): Tool[] {
  return [
    ...mailTools(team),
    ...introspectionTools(team),
    ...systemTools(team, parts),
    ...taskTools(team),
    ...epicTools(team),
    ...orchestratorTools(team),
    ...supervisorTools(team),
  ];
}

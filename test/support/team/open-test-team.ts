import { silentLogger } from '../../../src/base/logger.ts';
import { resolvePermissions } from '../../../src/team/members/default-permissions.ts';
import { createTeam, type Team } from '../../../src/team/team.ts';
import type { TeamParts, TeamSettings } from '../../../src/team/team-parts.ts';
import type { databaseKinds } from '../databases/test-database.ts';
import { openTestStores, type TestStores } from '../databases/test-store.ts';

export interface TestTeam extends TestStores {
  parts: TeamParts;
  team: Team;
  /** The same team, opened a second time as another process would. */
  otherTeam: Team;
}

export const plantedSecret = 'hunter2-hunter2-hunter2';

/** Opens a team on a real database. Its one agent, `reviewer`, has the scope `search` and `get`. */
export async function openTestTeam(
  kind: (typeof databaseKinds)[number],
  settings: Partial<TeamSettings> = {},
): Promise<TestTeam> {
  const stores = await openTestStores(kind);
  const scope = ['search', 'get'];
  const partsOver = (store: TestStores['store']): TeamParts => ({
    store: store.team,
    decisions: store.decisions,
    clock: stores.clock,
    logger: silentLogger,
    redact: (text) => text.replaceAll(plantedSecret, '[removed]'),
    scopeOf: async (agent) => (agent === 'reviewer' ? scope : undefined),
    settings: {
      permissions: resolvePermissions(),
      eventTargets: [],
      stalledAfterMs: 1_800_000,
      waitingAfterMs: 86_400_000,
      escalationWindowMs: 600_000,
      reconcileEveryMs: 30_000,
      ...settings,
    },
  });
  const teamOver = (parts: TeamParts) => createTeam({ ...parts, senders: () => new Map() });
  const parts = partsOver(stores.store);
  return { ...stores, parts, team: teamOver(parts), otherTeam: teamOver(partsOver(stores.other)) };
}

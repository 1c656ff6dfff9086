import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { root } from './run-step.ts';

/** The reports of the last and the previous `npm test`. */
export const testReport = join(root, '.cache', 'test-report.json');
export const lastReport = join(root, '.cache', 'test-report.last.json');

const Report = z.looseObject({
  testResults: z.array(z.looseObject({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

/** Returns how long a test file took in the last `npm test` on this machine, or else its usual time. */
export function testSeconds(): (file: string) => number {
  const known = readReport(testReport) ?? readReport(lastReport) ?? new Map(Object.entries(usualSeconds));
  return (file) => known.get(file) ?? (file.startsWith('test/journeys/') ? 5 : 1);
}

function readReport(file: string): Map<string, number> | undefined {
  try {
    const { testResults } = Report.parse(JSON.parse(readFileSync(file, 'utf8')));
    return new Map(
      testResults.map(({ name, startTime, endTime }) => [
        relative(root, name),
        Math.max(0.1, (endTime - startTime) / 1_000),
      ]),
    );
  } catch {
    // No run yet, or an interrupted one.
    return undefined;
  }
}

/** The approximate times of long test files on two idle cores, so that they start first and none runs alone at the end. */
const usualSeconds: Record<string, number> = {
  'test/journeys/packed-journeys.test.ts': 39,
  'test/journeys/clocks-apart.test.ts': 32,
  'test/journeys/hub-absence.test.ts': 31,
  'src/text/hostile-text.test.ts': 29,
  'test/journeys/web-chat.test.ts': 28,
  'test/journeys/cli-servers.test.ts': 27,
  'test/journeys/docs.test.ts': 27,
  'test/journeys/cli-team.test.ts': 26,
  'test/journeys/cli-scripts.test.ts': 25,
  'test/journeys/bad-servers.test.ts': 24,
  'test/journeys/web-knowledge-screens.test.ts': 23,
  'src/base/json-schema/json-schema.test.ts': 22,
  'test/journeys/cli-knowledge.test.ts': 22,
  'test/journeys/web-screen-states.test.ts': 200,
  'test/journeys/web-screens.test.ts': 140,
  'test/journeys/cli-chat.test.ts': 21,
  'test/journeys/chat-survives.test.ts': 20,
  'test/journeys/team-proofs.test.ts': 19,
  'src/lua/sandbox/sandbox.test.ts': 18,
  'src/mcp-server/stdio/stdio.test.ts': 18,
  'test/journeys/cli-agents.test.ts': 18,
  'test/journeys/aidk-samples.test.ts': 17,
  'test/journeys/mcp-clients.test.ts': 17,
  'test/journeys/tarball.test.ts': 17,
  'src/lua/sandbox/hostile.test.ts': 16,
  'src/mcp-client/connection/connect-server.test.ts': 15,
  'test/journeys/cli-usage.test.ts': 15,
  'test/journeys/client-conformance.test.ts': 15,
  'test/journeys/web-tools.test.ts': 15,
  'test/journeys/examples.test.ts': 14,
  'test/journeys/web-mail.test.ts': 14,
  'src/mcp-client/process/stdio-transport.test.ts': 13,
  'test/journeys/external-tool-faults.test.ts': 13,
  'test/journeys/postgres-faults.test.ts': 13,
  'web/screens/agents/editor/agent-screen.test.ts': 13,
  'src/connectors/git/git.test.ts': 12,
  'test/journeys/knowledge-sync.test.ts': 12,
  'test/journeys/storage-faults.test.ts': 12,
  'test/journeys/team-secrets.test.ts': 12,
  'test/journeys/web-decisions.test.ts': 12,
  'web/screens/agents/tool-builder/tool-builder.test.ts': 12,
  'src/text/cut/passages.test.ts': 11,
  'test/journeys/web-editing.test.ts': 11,
  'test/journeys/web-team.test.ts': 11,
  'src/db/migrate.test.ts': 10,
  'src/team/work/work-races.test.ts': 10,
  'test/journeys/cli-serve.test.ts': 10,
  'test/journeys/hub-of-hubs.test.ts': 10,
  'test/journeys/oauth.test.ts': 10,
  'test/retrieval.test.ts': 10,
  'src/decisions/index-decisions.store.test.ts': 9,
  'test/journeys/cli-old-node.test.ts': 9,
  'test/journeys/tools-mode.test.ts': 9,
  'test/journeys/web-servers.test.ts': 9,
  'src/vault/vault.store.test.ts': 8,
  'test/journeys/cli-backup.test.ts': 8,
  'test/journeys/conformance.test.ts': 8,
  'test/journeys/http-bad-input.test.ts': 8,
  'test/journeys/odd-tools.test.ts': 8,
  'test/journeys/web-bad-day.test.ts': 8,
  'src/db/postgres/postgres-faults.test.ts': 7,
  'src/db/sqlite/storage-fault.test.ts': 7,
  'test/journeys/a2a-process.test.ts': 7,
  'test/journeys/cli-first-use.test.ts': 7,
  'test/journeys/web-tool-builder.test.ts': 7,
};

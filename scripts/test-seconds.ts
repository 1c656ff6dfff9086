import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { root } from './run-step.ts';

/** Where `npm test` leaves what happened, and what happened the time before. */
export const testReport = join(root, '.cache', 'test-report.json');
export const lastReport = join(root, '.cache', 'test-report.last.json');

const Report = z.looseObject({
  testResults: z.array(z.looseObject({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

/** Returns how long a test file took in the last `npm test` on this machine; where there was none, how long it usually takes. */
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
    // No run yet, or one that was cut off.
    return undefined;
  }
}

/** The long ones on two quiet cores, roughly: enough to begin with them and not to end with one of them alone. */
const usualSeconds: Record<string, number> = {
  'test/journeys/web-chat.test.ts': 39,
  'test/journeys/packed-journeys.test.ts': 34,
  'test/journeys/web-mail.test.ts': 33,
  'test/journeys/web-screens.test.ts': 31,
  'test/journeys/hub-absence.test.ts': 31,
  'web/editor/agent-editor.test.ts': 29,
  'web/tool-builder/tool-builder.test.ts': 28,
  'test/journeys/bad-servers.test.ts': 28,
  'test/journeys/cli-servers.test.ts': 27,
  'test/journeys/docs.test.ts': 24,
  'test/journeys/web-tools.test.ts': 23,
  'test/journeys/web-editing.test.ts': 22,
  'test/journeys/web-knowledge-screens.test.ts': 21,
  'test/journeys/web-decisions.test.ts': 21,
  'test/journeys/chat-survives.test.ts': 21,
  'test/journeys/web-team.test.ts': 20,
  'test/journeys/team-proofs.test.ts': 20,
  'src/mcp-client/connect-server.test.ts': 20,
  'test/journeys/cli-knowledge.test.ts': 18,
  'src/team/team-work-races.test.ts': 17,
  'test/journeys/aidk-samples.test.ts': 16,
  'src/text/hostile-text.test.ts': 16,
  'test/journeys/cli-usage.test.ts': 15,
  'test/journeys/web-servers.test.ts': 14,
  'test/journeys/external-tool-faults.test.ts': 14,
  'test/journeys/cli-chat.test.ts': 14,
  'test/journeys/cli-agents.test.ts': 14,
  'test/journeys/postgres-faults.test.ts': 13,
  'test/journeys/web-tool-builder.test.ts': 12,
  'test/journeys/client-conformance.test.ts': 12,
  'test/journeys/cli-team.test.ts': 12,
  'test/journeys/cli-scripts.test.ts': 12,
  'test/journeys/tarball.test.ts': 11,
  'src/text/passages.test.ts': 11,
  'test/journeys/clients-apart.test.ts': 10,
  'test/journeys/tools-mode.test.ts': 9,
  'test/journeys/a2a-process.test.ts': 9,
  'src/lua/sandbox.test.ts': 9,
  'src/lua/hostile.test.ts': 9,
  'test/retrieval.test.ts': 8,
  'test/journeys/team-secrets.test.ts': 8,
  'test/journeys/web-knowledge.test.ts': 7,
  'test/journeys/oauth.test.ts': 7,
  'test/journeys/mcp-clients.test.ts': 7,
  'test/journeys/clocks-apart.test.ts': 7,
  'test/journeys/chat.test.ts': 7,
  'test/journeys/a2a.test.ts': 7,
  'src/mcp-server/stdio.test.ts': 7,
  'src/mcp-client/stdio-transport.test.ts': 7,
  'src/knowledge/sync-in-turn.test.ts': 7,
  'src/base/json-schema.test.ts': 7,
};

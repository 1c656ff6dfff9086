import type { KnownAgents } from '../agents/find-agent.cli.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';

/** Logs each problem when it comes up, and once more when it is repaired. */
export function watchProblems({ agents, problems }: KnownAgents, logger: Logger): () => void {
  let known = byMessage(problems());
  return agents.changes.on(() => {
    const now = byMessage(problems());
    for (const [message, place] of now) if (!known.has(message)) logger.warn({ place }, message);
    for (const [message, place] of known) if (!now.has(message)) logger.info({ place }, `repaired: ${message}`);
    known = now;
  });
}

function byMessage(problems: readonly SourceProblem[]): Map<string, string> {
  return new Map(problems.map(({ message, place }) => [message, place]));
}

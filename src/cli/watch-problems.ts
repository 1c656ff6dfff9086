import type { Logger } from '../base/logger.ts';
import type { Hub } from '../hub.ts';

/** Logs each problem when it comes up, and once more when it is repaired. */
export function watchProblems(hub: Hub, logger: Logger): () => void {
  let known = problemsOf(hub);
  return hub.agents.changes.on(() => {
    const now = problemsOf(hub);
    for (const [message, place] of now) if (!known.has(message)) logger.warn({ place }, message);
    for (const [message, place] of known) if (!now.has(message)) logger.info({ place }, `repaired: ${message}`);
    known = now;
  });
}

function problemsOf(hub: Hub): Map<string, string> {
  return new Map(hub.problems().map(({ message, place }) => [message, place]));
}

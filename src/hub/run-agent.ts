import type { Approve } from '../engine/run-options.ts';
import type { Run } from '../engine/run-ticks.ts';
import type { RunInput } from '../engine/to-messages.ts';
import type { SessionRequest, Sessions } from './sessions.ts';

export interface RunAgentRequest extends Omit<SessionRequest, 'kind' | 'contextId' | 'depth'> {
  input: RunInput;
  /** Asks a person before a call that needs approval. Without it such calls are denied. */
  approve?: Approve | undefined;
}

/** One message to an agent in a session of its own. Throws AGENT_NOT_FOUND, NOT_CONFIGURED, INVALID_ARGUMENTS. */
export async function runAgent(sessions: Pick<Sessions, 'open'>, request: RunAgentRequest): Promise<Run> {
  const { input, approve, ...rest } = request;
  const session = await sessions.open({ ...rest, kind: 'interactive' });
  try {
    const run = session.send(input, { approve, signal: request.signal });
    void run.result.then(() => session.close());
    return run;
  } catch (error) {
    await session.close();
    throw error;
  }
}

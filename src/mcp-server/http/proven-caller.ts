import type { IncomingMessage } from 'node:http';
import type { Calls } from '../../hub/calls.ts';
import type { Caller } from '../../tools/caller.ts';
import { bearerToken } from './bearer-token.ts';

/** For the log of a call that was refused: whose token it was that claimed to be somebody else. */
export async function provenCaller(
  calls: Pick<Calls, 'resolveCaller'>,
  surface: Caller['surface'],
  request: IncomingMessage,
): Promise<Caller> {
  try {
    const token = bearerToken(request);
    if (token !== undefined) return await calls.resolveCaller({ surface, token });
  } catch {
    // Nobody is proved.
  }
  return { surface };
}

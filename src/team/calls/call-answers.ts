import { HubError } from '../../base/hub-error.ts';
import type { ProcessLeases } from '../../base/lease.ts';
import type { AnswerMemory, KeyedCall } from '../../tools/answer-memory.ts';
import { ToolContent } from '../../tools/content.ts';
import type { TeamParts } from '../team-parts.ts';
import { hashInput, usedBefore } from './once.ts';

/** What stands beside a key while its first call runs, and after. */
type Kept =
  | { state: 'running'; holder?: string }
  | { state: 'data'; data: object }
  | { state: 'content'; data: Pick<ToolContent, keyof ToolContent> };

/** Answers to idempotency keys of tools whose effects are not in the team's own transactions. */
export function callAnswers(parts: Pick<TeamParts, 'store' | 'clock' | 'redact'>): AnswerMemory {
  const { clock, store } = parts;
  const { leases } = store;
  const running = new Map<string, PromiseWithResolvers<void>>();
  /** The effect is there, its answer is not: such a key must not be free for a second one. */
  const spent = new Set<string>();

  function end(call: KeyedCall): void {
    const place = placeOf(call);
    running.get(place)?.resolve();
    running.delete(place);
  }

  return {
    async begin(call) {
      const place = placeOf(call);
      // Calls of this process wait for the first one; whoever comes from elsewhere is told to try again.
      for (let first = running.get(place); first; first = running.get(place)) await first.promise;
      running.set(place, Promise.withResolvers());
      leases.keep();
      const { owner, key, tool } = call;
      const inputHash = hashInput(call.input);
      try {
        const claim = await store.write(async (rows) => {
          const at = clock.now();
          const claimed = await rows.claimKey({ owner, key, tool, inputHash, at });
          const mark: Kept = { state: 'running', holder: leases.holder };
          if (claimed.isNew) await rows.keepAnswer(owner, key, JSON.stringify(mark));
          return claimed;
        });
        if (claim.isNew) return undefined;
        if (claim.tool !== tool || claim.inputHash !== inputHash || claim.answer === null) {
          throw usedBefore(key, claim.tool);
        }
        // Written by this very file: the hash of the input and the name of the tool are the same.
        const kept = JSON.parse(claim.answer) as Kept;
        if (kept.state === 'running') throw notAnswered(key, await mayRun(leases, kept.holder));
        end(call);
        return kept.state === 'data' ? kept.data : toContent(kept.data);
      } catch (error) {
        end(call);
        throw error;
      }
    },

    async keep(call, answer) {
      const kept: Kept =
        answer instanceof ToolContent ? { state: 'content', data: answer } : { state: 'data', data: answer };
      const withoutSecrets = (_: string, value: unknown) => (typeof value === 'string' ? parts.redact(value) : value);
      try {
        await store.write((rows) => rows.keepAnswer(call.owner, call.key, JSON.stringify(kept, withoutSecrets)));
      } catch (error) {
        // Whoever waits for this call goes on when it is released.
        spent.add(placeOf(call));
        throw error;
      }
      end(call);
    },

    async release(call) {
      try {
        if (!spent.delete(placeOf(call))) await store.write((rows) => rows.releaseKey(call.owner, call.key));
      } finally {
        end(call);
      }
    },
  };
}

/** One of this process would have been waited for, and older hubs named no holder. */
async function mayRun(leases: ProcessLeases, holder: string | undefined): Promise<boolean> {
  if (holder === undefined || holder === leases.holder) return false;
  return (await leases.gone([holder])).size === 0;
}

function placeOf({ owner, key }: KeyedCall): string {
  return JSON.stringify([owner, key]);
}

function notAnswered(key: string, isRunning: boolean): HubError {
  const name = key.slice(0, 80);
  return isRunning
    ? new HubError(
        'TRANSIENT_ERROR',
        `The first call with idempotencyKey "${name}" has no answer yet. Try again later.`,
      )
    : new HubError(
        'INVALID_AGENT_STATE',
        `The first call with idempotencyKey "${name}" ended without an answer, so nobody knows what it did. Look, and take a new key to call again.`,
      );
}

function toContent({ content, structuredContent, isError, _meta }: Pick<ToolContent, keyof ToolContent>): ToolContent {
  return new ToolContent(content, {
    isError,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(_meta && { _meta }),
  });
}

import { HubError } from '../../base/hub-error.ts';
import type { ProcessLeases } from '../../base/lease.ts';
import { ToolContent } from '../../tools/content.ts';
import type { AnswerMemory, KeyedCall } from '../../tools/run-tool.ts';
import type { TeamParts } from '../team-parts.ts';
import { hashInput, usedBefore } from './once.ts';

/** The stored state of a key, during and after its first call. */
type StoredAnswer =
  | { state: 'running'; holder?: string }
  | { state: 'data'; data: object }
  | { state: 'content'; data: Pick<ToolContent, keyof ToolContent> };

/** Remembers answers by idempotency key, for tools whose effects are outside the team's transactions. */
export function callAnswers(parts: Pick<TeamParts, 'store' | 'clock' | 'redact'>): AnswerMemory {
  const { clock, store } = parts;
  const { leases } = store;
  const running = new Map<string, PromiseWithResolvers<void>>();
  /** Keys whose call took effect but whose answer could not be stored. They must not be released for a second call. */
  const spent = new Set<string>();

  function end(call: KeyedCall): void {
    const slot = slotOf(call);
    running.get(slot)?.resolve();
    running.delete(slot);
  }

  return {
    async begin(call) {
      const slot = slotOf(call);
      // Calls in this process wait for the first one. Calls from other processes get an error and can retry.
      for (let first = running.get(slot); first; first = running.get(slot)) await first.promise;
      running.set(slot, Promise.withResolvers());
      leases.keep();
      const { owner, key, tool } = call;
      const inputHash = hashInput(call.input);
      try {
        const claim = await store.write(async (rows) => {
          const at = clock.now();
          const claimed = await rows.claimKey({ owner, key, tool, inputHash, at });
          const mark: StoredAnswer = { state: 'running', holder: leases.holder };
          if (claimed.isNew) await rows.keepAnswer(owner, key, JSON.stringify(mark));
          return claimed;
        });
        if (claim.isNew) return undefined;
        if (claim.tool !== tool || claim.inputHash !== inputHash || claim.answer === null) {
          throw usedBefore(key, claim.tool);
        }
        // This file stored it: the input's hash and the tool's name are the same.
        const stored = JSON.parse(claim.answer) as StoredAnswer;
        if (stored.state === 'running') throw notAnswered(key, await mayRun(leases, stored.holder));
        end(call);
        return stored.state === 'data' ? stored.data : toContent(stored.data);
      } catch (error) {
        end(call);
        throw error;
      }
    },

    async keep(call, answer) {
      const stored: StoredAnswer =
        answer instanceof ToolContent ? { state: 'content', data: answer } : { state: 'data', data: answer };
      const withoutSecrets = (_: string, value: unknown) => (typeof value === 'string' ? parts.redact(value) : value);
      try {
        await store.write((rows) => rows.keepAnswer(call.owner, call.key, JSON.stringify(stored, withoutSecrets)));
      } catch (error) {
        // Waiting calls continue when this one is released.
        spent.add(slotOf(call));
        throw error;
      }
      end(call);
    },

    async release(call) {
      try {
        if (!spent.delete(slotOf(call))) await store.write((rows) => rows.releaseKey(call.owner, call.key));
      } finally {
        end(call);
      }
    },
  };
}

/** Says whether the first call may still run elsewhere. A call in this process would have been awaited; older hubs stored no holder. */
async function mayRun(leases: ProcessLeases, holder: string | undefined): Promise<boolean> {
  if (holder === undefined || holder === leases.holder) return false;
  return (await leases.gone([holder])).size === 0;
}

function slotOf({ owner, key }: KeyedCall): string {
  return JSON.stringify([owner, key]);
}

function notAnswered(key: string, isRunning: boolean): HubError {
  const name = key.slice(0, 80);
  return isRunning
    ? new HubError('TRANSIENT_ERROR', `The first call with idempotencyKey "${name}" is still running. Try again later.`)
    : new HubError(
        'INVALID_AGENT_STATE',
        `The first call with idempotencyKey "${name}" ended without an answer, so its effect is unknown. Check what it did before you call again with a new key.`,
      );
}

function toContent(stored: Pick<ToolContent, keyof ToolContent>): ToolContent {
  const { content, structuredContent, isError, _meta, repeatsData } = stored;
  return new ToolContent(content, {
    isError,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(_meta && { _meta }),
    ...(repeatsData && { repeatsData }),
  });
}

/** Runs a call whose effects are outside the team's transactions. With a key, its first answer is stored and returned to repeated calls. */
export async function answerOnce<T extends object>(
  answers: AnswerMemory,
  { key, ...call }: Omit<KeyedCall, 'key'> & { key: string | undefined },
  run: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return run();
  const keyed = { ...call, key };
  const first = await answers.begin(keyed);
  // Stored below, for this tool and this input.
  if (first) return first as T;
  try {
    const answer = await run();
    await answers.keep(keyed, answer);
    return answer;
  } catch (error) {
    await answers.release(keyed);
    throw error;
  }
}

import { failureOf } from '../use-chat-actions.ts';

export const sides = ['left', 'right'] as const;
export type Side = (typeof sides)[number];

export interface SideFailure {
  side: Side;
  code: string;
  message: string;
}

/** Which sides have got a message that is not sent to both yet. */
export interface Delivery {
  /** Identifies the message. */
  key: string;
  reached: ReadonlySet<Side>;
}

/**
 * Sends a message to both sides. A side that fails does not stop the other one, and a side that has got the message does not get it
 * again when it is retried. Returns what was reached, and why the rest was not.
 */
export async function askSides(
  key: string,
  before: Delivery | null,
  ask: (side: Side) => Promise<void>,
): Promise<{ delivery: Delivery; failures: SideFailure[] }> {
  const reached = new Set<Side>(before?.key === key ? before.reached : []);
  const failures: SideFailure[] = [];
  await Promise.all(
    sides
      .filter((side) => !reached.has(side))
      .map(async (side) => {
        try {
          await ask(side);
          reached.add(side);
        } catch (error) {
          failures.push({ side, ...failureOf(error) });
        }
      }),
  );
  return { delivery: { key, reached }, failures };
}

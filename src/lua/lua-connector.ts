import { HubError } from '../base/hub-error.ts';
import type { ScriptSection } from '../config/script-sections.ts';
import type { Connector } from '../knowledge/connector.ts';
import { hostFor, jobOf, type ScriptParts } from './host/script-host.ts';
import type { LuaItem } from './sandbox/lua-job.ts';
import { toScannedItem } from './scanned-item.ts';

/** `[connectors.script.NAME]`: a source whose documents `connector.scan(config)` returns. */
export function luaConnector(
  section: ScriptSection,
  { sandbox, host, isTrusted }: ScriptParts & { isTrusted?: () => Promise<boolean> },
): Connector {
  return {
    type: 'script',
    name: section.name,
    location: section.shown,
    async *scan(context) {
      if (isTrusted && !(await isTrusted())) {
        throw new HubError(
          'UNAVAILABLE',
          `${section.shown} has changed since you trusted it. Run "zoo trust" in its folder to see the difference and to allow it.`,
        );
      }
      const leaving = new AbortController();
      const items = inBatches((takeItems) =>
        sandbox.run({
          ...jobOf({ section, table: 'connector' }),
          call: { name: 'scan', args: [{ data: section.config }] },
          signal: AbortSignal.any([context.signal, leaving.signal]),
          takeItems,
          host: hostFor(host, section),
        }),
      );
      const seen = new Set<string>();
      try {
        for await (const batch of items) {
          for (const raw of batch) {
            const item = toScannedItem(raw, { context, seen, now: host.clock.now() });
            if (item) yield item;
          }
        }
      } finally {
        // A scan that is left early keeps no thread.
        leaving.abort();
      }
    },
  };
}

type TakeItems = (items: readonly LuaItem[]) => Promise<void>;

/** Yields what a job sends, one batch at a time. The job waits until a batch has been used. Throws what the job throws. */
async function* inBatches(run: (take: TakeItems) => Promise<unknown>): AsyncGenerator<readonly LuaItem[]> {
  let next = Promise.withResolvers<{ items: readonly LuaItem[]; release(): void } | undefined>();
  const running = run((items) => new Promise((release) => next.resolve({ items, release })));
  running.then(
    () => next.resolve(undefined),
    (error) => next.reject(error),
  );
  for (let batch = await next.promise; batch; batch = await next.promise) {
    next = Promise.withResolvers();
    // The job may fail while its batch is being used, before anybody waits for the next one.
    next.promise.catch(() => {});
    yield batch.items;
    batch.release();
  }
}

import { silentLogger } from '../../../src/base/logger.ts';
import type { KnowledgeReader } from '../../../src/knowledge/knowledge.ts';
import type { ScriptHost } from '../../../src/lua/host/script-host.ts';
import { createLuaSandbox } from '../../../src/lua/sandbox/sandbox.ts';
import { testClock } from '../databases/test-store.ts';

/** Creates a sandbox, and a host with the given environment. */
export function luaParts(options: { env?: Record<string, string>; knowledge?: KnowledgeReader } = {}) {
  const host: ScriptHost = {
    logger: silentLogger,
    clock: testClock(),
    lookUp: (name) => options.env?.[name],
    ...(options.knowledge && { knowledge: options.knowledge }),
  };
  return { sandbox: createLuaSandbox(), host };
}

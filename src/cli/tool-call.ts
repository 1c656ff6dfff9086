import { ToolContent } from '../tools/content.ts';
import { type CliContext, printJson, printLine } from './context.ts';
import { createLogger } from './logger.ts';
import { onStop } from './on-stop.ts';
import { withHub } from './open-hub.ts';
import { findTool, inputFor, type ToolTestOptions } from './tool-test.ts';

/** `zoo tool call`: the result alone, for scripts. A result that calls itself an error ends with exit code 1. */
export function callTool(
  context: CliContext,
  name: string,
  options: ToolTestOptions & { agent?: string },
): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const logger = createLogger(context, { level: 'warn' });
  return withHub(context, { ...options, logger }, async (hub) => {
    const caller = await hub.resolveCaller({ surface: 'cli', agent: options.agent });
    const input = inputFor(await findTool(hub, name, caller), options);
    const outcome = await hub.execute({ caller, tool: name, input, signal: stopping.signal });
    if (!outcome.ok) throw outcome.error;
    const { data } = outcome;
    if (data instanceof ToolContent && data.isError) process.exitCode = 1;
    if (options.json || !(data instanceof ToolContent)) return printJson(context, data);
    for (const block of data.content) {
      if (block.type === 'text') printLine(context, block.text);
      else printJson(context, block);
    }
  }).finally(forget);
}

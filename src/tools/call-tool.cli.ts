import { createLogger } from '../cli/logger.ts';
import { withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { forTerminal } from '../cli/terminal/text-width.ts';
import { findTool, inputFor, type ToolTestOptions } from '../lua/tool-test.cli.ts';
import { ToolContent } from './content.ts';

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
      if (block.type === 'text') printLine(context, forTerminal(context, block.text));
      else printJson(context, block);
    }
  }).finally(forget);
}

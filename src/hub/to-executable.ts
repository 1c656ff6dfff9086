import type { ExecutableTool, ToolRunContext } from '../engine/executable-tool.ts';
import { asksFor, type ToolPermission } from '../engine/included-tools.ts';
import type { Hub } from '../hub.ts';
import type { Caller } from '../tools/caller.ts';
import { asContent, ToolContent } from '../tools/content.ts';
import type { Tool } from '../tools/tool.ts';

/** A tool of the hub for the engine: every call of the model walks the pipeline, with the agent's scope as its rights. */
export function toExecutable(
  hub: Hub,
  { permission, caller, tool }: { permission: ToolPermission; caller: Caller; tool: Tool },
): ExecutableTool {
  const { name, description, inputSchema, server } = tool;
  async function execute(
    input: unknown,
    context: Pick<ToolRunContext, 'signal' | 'traceparent' | 'purse'>,
  ): Promise<ToolContent> {
    const { signal, traceparent, purse } = context;
    const outcome = await hub.execute({ caller: { ...caller, purse }, tool: name, input, signal, traceparent });
    if (outcome.ok) return asContent(outcome.data);
    const { code, message } = outcome.error;
    return new ToolContent([{ type: 'text', text: `${code}: ${message}` }], { isError: true });
  }
  return {
    metadata: {
      name,
      description,
      inputSchema,
      type: server ? 'mcp' : 'function',
      serverName: server?.name,
      requiresConfirmation: asksFor(permission, tool),
    },
    execute,
    run: async (input, context) => {
      const signal = context?.signal ?? new AbortController().signal;
      return [...(await execute(input, { signal })).content];
    },
  };
}

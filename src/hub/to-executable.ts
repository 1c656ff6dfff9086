import type { ExecutableTool, ToolRunContext } from '../engine/executable-tool.ts';
import { asksFor, type ToolPermission } from '../engine/included-tools.ts';
import type { Caller } from '../tools/caller.ts';
import { asContent, ToolContent } from '../tools/content.ts';
import type { ToolOutcome } from '../tools/execute-tool.ts';
import { decide } from '../tools/permissions.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Calls } from './calls.ts';

/** A tool of the hub for the engine: every call of the model walks the pipeline, with the agent's scope as its rights. */
export function toExecutable(
  { execute: run }: Pick<Calls, 'execute'>,
  { permission, caller, tool }: { permission: ToolPermission; caller: Caller; tool: Tool },
): ExecutableTool {
  const { name, description, inputSchema, server } = tool;
  async function execute(
    input: unknown,
    context: Pick<ToolRunContext, 'signal' | 'traceparent' | 'purse'>,
  ): Promise<ToolContent> {
    const { signal, traceparent, purse } = context;
    const outcome = await run({ caller: { ...caller, purse }, tool: name, input, signal, traceparent });
    return toContent(outcome);
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

/** For a tool that cannot be called now: the model hears why, and the refusal is in the log. Undefined where there is nothing to say. */
export function toRefusing(
  { tools, refuse }: Pick<Calls, 'refuse'> & { tools: ToolRegistry },
  caller: Caller,
  name: string,
): ExecutableTool | undefined {
  const why = decide(caller, { name, isForMembers: false }).allowed ? tools.whyAbsent(name) : undefined;
  if (!why) return undefined;
  const execute = async (input: unknown) => toContent(await refuse({ caller, tool: name, input }, why));
  return {
    metadata: { name, description: '', inputSchema: { type: 'object' }, type: 'mcp', requiresConfirmation: false },
    execute,
    run: async (input) => [...(await execute(input)).content],
  };
}

function toContent(outcome: ToolOutcome): ToolContent {
  if (outcome.ok) return asContent(outcome.data);
  const { code, message } = outcome.error;
  return new ToolContent([{ type: 'text', text: `${code}: ${message}` }], { isError: true });
}

import type { ExecutableTool, ToolMetadata, ToolRunContext } from '../../../src/engine/executable-tool.ts';
import type { ToolContent } from '../../../src/tools/content.ts';

export interface CountedTools {
  /** The effects of the tools, as call ids. */
  effects: string[];
  /** Returns a tool that records its effect and then runs the given code. */
  tool(
    name: string,
    run?: (input: unknown, context: ToolRunContext) => unknown,
    metadata?: Partial<ToolMetadata>,
  ): ExecutableTool;
}

export function countedTools(): CountedTools {
  const effects: string[] = [];
  return {
    effects,
    tool: (name, run = () => `${name} done`, metadata = {}) => ({
      metadata: { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...metadata },
      run: async (input, context) => {
        if (!context) throw new Error('The engine gives every call a context.');
        effects.push(context.toolUseId);
        return (await run(input, context)) as string | object;
      },
    }),
  };
}

/** Returns a tool with a fixed result, which may have `isError` or structured content. */
export function contentTool(name: string, content: ToolContent): ExecutableTool {
  return {
    metadata: { name, description: '', inputSchema: { type: 'object' } },
    execute: async () => content,
    run: async () => 'execute is preferred',
  };
}

import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ToolDefinition } from '../engine/model.ts';

/** The schema goes on as it is. `strict`, also as `{function: {strict}}` of OpenAI's own form, is the one option that tools share. */
export function toTool({
  name,
  description,
  inputSchema,
  providerOptions,
}: ToolDefinition): LanguageModelV4FunctionTool {
  const strict = strictOf(providerOptions?.openai) ?? strictOf(providerOptions?.anthropic);
  return {
    type: 'function',
    name,
    description,
    inputSchema,
    ...(strict === undefined ? {} : { strict }),
    ...(providerOptions ? { providerOptions } : {}),
  };
}

function strictOf(options: { strict?: unknown; function?: unknown } | undefined): boolean | undefined {
  const nested = options?.function;
  const value =
    options?.strict ?? (typeof nested === 'object' && nested !== null && 'strict' in nested && nested.strict);
  return typeof value === 'boolean' ? value : undefined;
}

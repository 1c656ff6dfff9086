import { HubError } from '../base/hub-error.ts';
import type { ExecutableTool, ToolMetadata } from '../engine/executable-tool.ts';
import { toExecutableTool } from '../engine/to-executable-tool.ts';

/** A tool as AIDK's programs define it. */
export interface CreateToolOptions<Input> {
  name: string;
  description: string;
  /** A schema of zod 4, or a JSON Schema. */
  input: { readonly _output: Input } | object;
  /** Returns content blocks, text, or data that becomes JSON text. */
  handler(input: Input): ReturnType<ExecutableTool['run']>;
  requiresConfirmation?: boolean | ((input: Input) => boolean | Promise<boolean>) | undefined;
  confirmationMessage?: string | ((input: Input) => string) | undefined;
  providerOptions?: ToolMetadata['providerOptions'];
  timeoutMs?: number | undefined;
}

const keys: readonly string[] = [
  'name',
  'description',
  'input',
  'handler',
  'requiresConfirmation',
  'confirmationMessage',
  'providerOptions',
  'timeoutMs',
] satisfies (keyof CreateToolOptions<never>)[];
/** Options of AIDK that only describe the tool. */
const described: readonly string[] = ['type', 'intent', 'output', 'mcpConfig'];

/** Creates a tool for an engine. For a hub, use `defineTool`. Throws INVALID_ARGUMENTS. */
export function createTool<Input>(options: CreateToolOptions<Input>): ExecutableTool {
  const { handler, ...metadata } = options;
  for (const [key, value] of Object.entries(options)) {
    if (keys.includes(key) || described.includes(key) || value === undefined) continue;
    throw new HubError(
      'INVALID_ARGUMENTS',
      `createTool: "${key.slice(0, 80)}" of tool "${options.name}" is not supported. Put hooks into a component, next to the tool.`,
    );
  }
  // The handler gets what the schema returns; without one, `toExecutableTool` refuses the tool.
  return toExecutableTool({ metadata, run: handler as ExecutableTool['run'] });
}

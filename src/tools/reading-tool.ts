import type { z } from 'zod';
import { defineTool, type Tool, type ToolAnnotations, type ToolDefinition } from './tool.ts';

const reading: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Defines one of the hub's own tools that changes nothing and runs nobody else's code. It may run while its log entry is
 * still being written; where it does call someone's code, it awaits `whenLogged` and lifts its deadline first.
 */
export function defineReadingTool<I extends z.ZodType, O extends z.ZodType>(
  definition: Omit<ToolDefinition<I, O>, 'origin' | 'annotations' | 'hasDeadline'>,
): Tool {
  const own = { origin: 'built-in', annotations: reading, hasDeadline: true };
  return { ...defineTool({ ...definition, ...own }), runsWhileLogged: true };
}

import type { ToolAnnotations } from './tool.ts';

/** What MCP assumes of a tool that says nothing: it changes things. */
export const assumedAnnotations: Readonly<ToolAnnotations> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Whether a hint can be passed on: those of MCP have a type; a server's own may be anything. */
export function isReadableHint(hint: string, value: unknown): boolean {
  if (hint === 'title') return typeof value === 'string';
  return !Object.hasOwn(assumedAnnotations, hint) || typeof value === 'boolean';
}

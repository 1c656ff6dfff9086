import { resolveReference, type TemplateTool } from '../../agents/exposes/template-values.ts';
import { ToolInputSchema } from '../../agents/exposes/tool-parameters.ts';

/**
 * Converts a template of TsAgent, in which braces are text unless they contain the name of a parameter, to ours. A reference that looks
 * misspelt stays one, so that the agent is refused with a suggestion.
 */
export function toTemplate(prompt: string, tool: { name: string; parameters: unknown }): string {
  return pieces(prompt, tool)
    .map(({ text, isReference }) => (isReference ? text : text.replace(/[{}]/g, '$&$&')))
    .join('');
}

/** Returns the words in braces that name no parameter and stay text, although they look like a reference. */
export function textInBraces(prompt: string, tool: { name: string; parameters: unknown }): string[] {
  return pieces(prompt, tool)
    .filter(({ text, isReference }) => !isReference && looksLikeName.test(text.slice(1, -1)) && text.startsWith('{'))
    .map(({ text }) => text);
}

interface Piece {
  text: string;
  isReference: boolean;
}

const looksLikeName = /^[A-Za-z_$][\w$-]*(?:\.[\w$-]+)*$/;

function pieces(prompt: string, { name, parameters }: { name: string; parameters: unknown }): Piece[] {
  const parsed = ToolInputSchema.safeParse(parameters);
  // The agent is refused because of its schema anyway.
  if (!parsed.success) return [{ text: prompt, isReference: true }];
  const tool: TemplateTool = { name, parameters: parsed.data };
  return prompt
    .split(/(\{[^{}]*\})/)
    .filter((text) => text !== '')
    .map((text) => ({ text, isReference: /^\{[^{}]*\}$/.test(text) && isReference(text.slice(1, -1), tool) }));
}

function isReference(path: string, tool: TemplateTool): boolean {
  const isDeclared = Object.hasOwn(tool.parameters.properties ?? {}, path);
  if (!isDeclared && !looksLikeName.test(path)) return false;
  const resolved = resolveReference(path, tool);
  return resolved.kind !== 'unknown' || resolved.isNear;
}

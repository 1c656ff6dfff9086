import { templateReferences } from '../../../../src/agents/exposes/fill-template.ts';
import { resolveReference, type TemplateTool } from '../../../../src/agents/exposes/template-values.ts';
import { childrenOf, type SchemaNode } from './schema-node.ts';

/** The path to a property; null stands for any list item or additional property. */
export type NodePath = readonly (string | null)[];

export function pathTo(root: SchemaNode, id: string): NodePath | undefined {
  for (const child of childrenOf(root)) {
    const property = root.keywords.properties?.find(({ node }) => node === child);
    const step = property ? property.name : null;
    if (child.id === id) return [step];
    const rest = pathTo(child, id);
    if (rest) return [step, ...rest];
  }
  return undefined;
}

export interface Renamed {
  /** The old path, ending with the old name. */
  path: NodePath;
  name: string;
}

/** Renames the references to a property in a template and counts them. `tool` is the tool before the rename. */
export function renameReferences(
  template: string,
  tool: TemplateTool,
  { path, name }: Renamed,
): { template: string; count: number } {
  let text = '';
  let end = 0;
  let count = 0;
  for (const reference of templateReferences(template)) {
    const resolved = resolveReference(reference.path, tool);
    if (resolved.kind !== 'parameter' || !startsWith(resolved.steps, path)) continue;
    const steps = resolved.steps.map((step, index) => (index === path.length - 1 ? name : step));
    text += `${template.slice(end, reference.from)}{${steps.join('.')}}`;
    end = reference.to;
    count += 1;
  }
  return { template: text + template.slice(end), count };
}

function startsWith(steps: readonly (string | number)[], path: NodePath): boolean {
  return steps.length >= path.length && path.every((step, index) => step === null || step === steps[index]);
}

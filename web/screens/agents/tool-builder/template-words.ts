import { typesOf, viewsOf } from '../../../../src/agents/exposes/schema-views.ts';
import type { TemplateTool } from '../../../../src/agents/exposes/template-values.ts';
import type { SubSchema } from '../../../../src/agents/exposes/tool-parameters.ts';

/** Something a template can refer to. */
export interface TemplateWord {
  path: string;
  /** Its type, or "tool". */
  kind: string;
  note: string;
}

const maxWords = 300;
const maxDepth = 6;

/** Returns everything a template can refer to: the parameters and their parts, then the tool's own fields. */
export function templateWords(tool: TemplateTool): TemplateWord[] {
  const root = tool.parameters;
  const properties = propertiesOf(root, root);
  const words = Object.entries(properties).flatMap(([name, schema]) => [...wordsOf(name, schema, { root, depth: 1 })]);
  const toolWords: TemplateWord[] = [
    { path: 'name', kind: 'tool', note: tool.name },
    { path: 'description', kind: 'tool', note: tool.description ?? '' },
    ...(tool.version === undefined ? [] : [{ path: 'version', kind: 'tool', note: tool.version }]),
  ];
  return [...words.slice(0, maxWords), ...toolWords.filter(({ path }) => !Object.hasOwn(properties, path))];
}

function* wordsOf(
  path: string,
  schema: SubSchema,
  { root, depth }: { root: TemplateTool['parameters']; depth: number },
): Generator<TemplateWord> {
  const views = viewsOf(schema, root);
  const note = views.map(({ description, title }) => description ?? title).find((each) => each !== undefined);
  yield { path, kind: [...typesOf(views)].join(' or ') || 'any', note: note ?? '' };
  if (depth === maxDepth) return;
  const inner = { root, depth: depth + 1 };
  for (const [name, child] of Object.entries(propertiesOf(schema, root)))
    yield* wordsOf(`${path}.${name}`, child, inner);
  for (const [index, child] of itemsOf(views).entries()) yield* wordsOf(`${path}.${index}`, child, inner);
}

function propertiesOf(schema: SubSchema, root: TemplateTool['parameters']): Record<string, SubSchema> {
  return Object.assign({}, ...viewsOf(schema, root).map(({ properties = {} }) => properties));
}

function itemsOf(views: ReturnType<typeof viewsOf>): SubSchema[] {
  for (const { items, prefixItems } of views) {
    const positional = prefixItems ?? (Array.isArray(items) ? items : []);
    if (positional.length > 0) return positional;
    if (typeof items === 'object' && !Array.isArray(items)) return [items];
  }
  return [];
}

/** Returns matching words: first those that start with the text, then those that contain it. */
export function matchingWords(words: readonly TemplateWord[], typed: string): TemplateWord[] {
  const query = typed.trim().toLowerCase();
  const starts = words.filter(({ path }) => path.toLowerCase().startsWith(query));
  const contains = words.filter((word) => !starts.includes(word) && word.path.toLowerCase().includes(query));
  return [...starts, ...contains].slice(0, 50);
}

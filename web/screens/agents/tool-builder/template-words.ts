import { typesOf, viewsOf } from '../../../../src/agents/exposes/schema-views.ts';
import type { TemplateTool } from '../../../../src/agents/exposes/template-values.ts';
import type { SubSchema } from '../../../../src/agents/exposes/tool-parameters.ts';

/** Something that a template can name. */
export interface TemplateWord {
  path: string;
  /** Its type, or what it is. */
  kind: string;
  note: string;
}

const maxWords = 300;
const deepest = 6;

/** Everything a template of the tool can name: its parameters and their parts, then what the tool says of itself. */
export function templateWords(tool: TemplateTool): TemplateWord[] {
  const root = tool.parameters;
  const properties = propertiesOf(root, root);
  const words = Object.entries(properties).flatMap(([name, schema]) => [...wordsOf(name, schema, { root, depth: 1 })]);
  const own: TemplateWord[] = [
    { path: 'name', kind: 'tool', note: tool.name },
    { path: 'description', kind: 'tool', note: tool.description ?? '' },
    ...(tool.version === undefined ? [] : [{ path: 'version', kind: 'tool', note: tool.version }]),
  ];
  return [...words.slice(0, maxWords), ...own.filter(({ path }) => !Object.hasOwn(properties, path))];
}

function* wordsOf(
  path: string,
  schema: SubSchema,
  { root, depth }: { root: TemplateTool['parameters']; depth: number },
): Generator<TemplateWord> {
  const views = viewsOf(schema, root);
  const note = views.map(({ description, title }) => description ?? title).find((each) => each !== undefined);
  yield { path, kind: [...typesOf(views)].join(' or ') || 'any', note: note ?? '' };
  if (depth === deepest) return;
  const inner = { root, depth: depth + 1 };
  for (const [name, child] of Object.entries(propertiesOf(schema, root)))
    yield* wordsOf(`${path}.${name}`, child, inner);
  for (const [index, child] of placesOf(views).entries()) yield* wordsOf(`${path}.${index}`, child, inner);
}

function propertiesOf(schema: SubSchema, root: TemplateTool['parameters']): Record<string, SubSchema> {
  return Object.assign({}, ...viewsOf(schema, root).map(({ properties = {} }) => properties));
}

function placesOf(views: ReturnType<typeof viewsOf>): SubSchema[] {
  for (const { items, prefixItems } of views) {
    const places = prefixItems ?? (Array.isArray(items) ? items : []);
    if (places.length > 0) return places;
    if (typeof items === 'object' && !Array.isArray(items)) return [items];
  }
  return [];
}

/** Those that what was typed may become: first what begins so, then what has it anywhere. */
export function matchingWords(words: readonly TemplateWord[], typed: string): TemplateWord[] {
  const wanted = typed.trim().toLowerCase();
  const starts = words.filter(({ path }) => path.toLowerCase().startsWith(wanted));
  const holds = words.filter((word) => !starts.includes(word) && word.path.toLowerCase().includes(wanted));
  return [...starts, ...holds].slice(0, 50);
}

import type { TemplateTool } from '../../src/agents/template-values.ts';
import type { JsonSchemaDefinition } from '../../src/agents/tool-parameters.ts';

/** Something that a template can name. */
export interface TemplateWord {
  path: string;
  /** Its type, or what it is. */
  kind: string;
  note: string;
}

const mostWords = 300;
const deepest = 6;

/** Everything a template of the tool can name: its parameters and their parts, then what the tool says of itself. */
export function templateWords(tool: TemplateTool): TemplateWord[] {
  const { properties = {} } = tool.parameters;
  const words = Object.entries(properties).flatMap(([name, schema]) => [...wordsOf(name, schema, 1)]);
  const own: TemplateWord[] = [
    { path: 'name', kind: 'tool', note: tool.name },
    { path: 'description', kind: 'tool', note: tool.description ?? '' },
    ...(tool.version === undefined ? [] : [{ path: 'version', kind: 'tool', note: tool.version }]),
  ];
  return [...words.slice(0, mostWords), ...own.filter(({ path }) => !Object.hasOwn(properties, path))];
}

function* wordsOf(path: string, schema: JsonSchemaDefinition, depth: number): Generator<TemplateWord> {
  yield { path, kind: schema.type, note: schema.description ?? schema.title ?? '' };
  if (depth === deepest) return;
  if (schema.type === 'object') {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      yield* wordsOf(`${path}.${name}`, child, depth + 1);
    }
  } else if (schema.type === 'array') {
    const places = Array.isArray(schema.items) ? schema.items : [schema.items];
    for (const [index, child] of places.entries()) yield* wordsOf(`${path}.${index}`, child, depth + 1);
  }
}

/** Those that what was typed may become: first what begins so, then what has it anywhere. */
export function matchingWords(words: readonly TemplateWord[], typed: string): TemplateWord[] {
  const wanted = typed.trim().toLowerCase();
  const starts = words.filter(({ path }) => path.toLowerCase().startsWith(wanted));
  const holds = words.filter((word) => !starts.includes(word) && word.path.toLowerCase().includes(wanted));
  return [...starts, ...holds].slice(0, 50);
}

import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import type { ToolInputSchema } from '../../../../src/agents/exposes/tool-parameters.ts';
import { toJsonSchema } from '../../../../src/agents/exposes/tool-schema.ts';
import { newId } from '../../../../src/base/ids.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { sameJson } from '../../../parts/schema-form/form-value.ts';
import { fieldOf } from '../../../parts/schema-form/schema-fields.ts';
import { withoutSecrets } from '../../../parts/schema-form/without-secrets.ts';
import { newNode } from './edit-nodes.ts';
import { findProblems } from './find-problems.ts';
import { readSchemaText } from './read-schema.ts';
import { type SchemaNode, toNode, toParameters } from './schema-node.ts';

/** A tool while it is edited: its part of the draft, plus typed text that is not a schema yet. */
export interface OfferedTool {
  id: string;
  /** The tool in the draft, with its last valid schemas. */
  tool: ExposedTool;
  parameters: SchemaNode;
  problems: ReadonlyMap<string, string>;
  /** The JSON as typed, until the builder is used again. */
  raw: TypedSchema | null;
  output: TypedSchema | null;
  /** Values for the preview and tests; null for generated samples. */
  values: unknown;
}

interface TypedSchema {
  text: string;
  problem: string | null;
}

const noProblems: ReadonlyMap<string, string> = new Map();

export function startTool(tool: ExposedTool): OfferedTool {
  return {
    id: newId('tool'),
    tool,
    parameters: nodeOf(tool.parameters),
    problems: noProblems,
    raw: null,
    output: null,
    values: null,
  };
}

/** Returns rows for new tools. A row continues if the name matches, or else the position. */
export function mergeTools(rows: readonly OfferedTool[], tools: readonly ExposedTool[]): OfferedTool[] {
  const free = new Set(rows);
  const found = tools.map((tool) => claim(rows.find((row) => row.tool.name === tool.name)));
  return tools.map((tool, index) => {
    const row = found[index] ?? claim(rows[index]);
    if (!row) return startTool(tool);
    if (sameJson(row.tool.parameters, tool.parameters)) return { ...row, tool };
    const parameters = nodeOf(tool.parameters, row.parameters);
    return { ...row, tool, parameters, problems: noProblems, raw: row.raw?.problem ? row.raw : null };
  });

  function claim(row: OfferedTool | undefined): OfferedTool | undefined {
    return row && free.delete(row) ? row : undefined;
  }
}

/** Applies a change made in the builder. */
export function buildParameters(row: OfferedTool, parameters: SchemaNode): OfferedTool {
  if (parameters === row.parameters) return row;
  const problems = findProblems(parameters);
  const next = { ...row, parameters, problems, raw: null };
  return problems.size > 0 ? next : { ...next, tool: withParameters(row, parameters) };
}

export function typeParameters(row: OfferedTool, text: string): OfferedTool {
  const read = readSchemaText(text);
  if ('problem' in read) return { ...row, raw: { text, problem: read.problem } };
  const parameters = nodeOf(read.schema, row.parameters);
  const tool = withParameters(row, parameters);
  return { ...row, parameters, problems: noProblems, raw: { text, problem: null }, tool };
}

/** Discards typed JSON that could not be parsed. */
export function dropRaw(row: OfferedTool): OfferedTool {
  return { ...row, raw: null };
}

/** Resets a row to the draft. */
export function dropUnfinished(row: OfferedTool): OfferedTool {
  const parameters = nodeOf(row.tool.parameters, row.parameters);
  return { ...row, parameters, problems: noProblems, raw: null, output: null };
}

/** Sets the output schema from typed JSON; empty text removes it. */
export function typeOutput(row: OfferedTool, text: string): OfferedTool {
  const { outputSchema: _, ...tool } = row.tool;
  if (text.trim() === '') return { ...row, tool, output: { text, problem: null } };
  const read = readSchemaText(text);
  if ('problem' in read) return { ...row, output: { text, problem: read.problem } };
  return { ...row, tool: { ...row.tool, outputSchema: read.schema }, output: { text, problem: null } };
}

/** Sets the parameters and renames them in the cache key, too. */
function withParameters(row: OfferedTool, parameters: SchemaNode): ExposedTool {
  const schema: ToolInputSchema = toParameters(parameters);
  const { cache } = row.tool;
  const tool = { ...row.tool, parameters: schema };
  if (!cache?.key) return tool;
  // The names in the last valid schema, by id.
  const before = nodeOf(row.tool.parameters, row.parameters).keywords.properties ?? [];
  const now = new Map((parameters.keywords.properties ?? []).map(({ name, node }) => [node.id, name]));
  const renamed = new Map(before.map(({ name, node }) => [name, now.get(node.id) ?? name]));
  return { ...tool, cache: { ...cache, key: cache.key.map((name) => renamed.get(name) ?? name) } };
}

/** Converts to a node. An `items` array of older drafts becomes `prefixItems` once it is edited. */
function nodeOf(parameters: ToolInputSchema, before?: SchemaNode): SchemaNode {
  // Only keywords are renamed, so it remains an object schema.
  return toNode(toJsonSchema(parameters) as ToolInputSchema, before);
}

/** Returns what must be fixed before saving, with paths in the draft. */
export function unfinishedIn(rows: readonly OfferedTool[]): FieldIssue[] {
  return rows.flatMap(({ raw, output, problems }, index) => {
    const path = `exposes[${index}]`;
    const [first] = problems.values();
    return [
      ...(raw?.problem ? [{ path: `${path}.parameters`, message: raw.problem }] : []),
      ...(first === undefined ? [] : [{ path: `${path}.parameters`, message: first }]),
      ...(output?.problem ? [{ path: `${path}.outputSchema`, message: output.problem }] : []),
    ];
  });
}

/** The typed parts of a tool that are not in the draft, by its position there. */
export interface KeptTool {
  index: number;
  raw: string | null;
  output: string | null;
  /** What was built, while it has problems. */
  parameters: SchemaNode | null;
  values: unknown;
}

export function keptOf(rows: readonly OfferedTool[]): KeptTool[] {
  return rows
    .map(({ tool, raw, output, problems, parameters, values }, index) => ({
      index,
      raw: raw?.problem ? raw.text : null,
      output: output?.problem ? output.text : null,
      parameters: problems.size > 0 ? parameters : null,
      values: values && withoutSecrets(fieldOf(toJsonSchema(tool.parameters)), values),
    }))
    .filter(({ raw, output, parameters, values }) => [raw, output, parameters, values].some((part) => part !== null));
}

/** Types the kept parts again. */
export function restoreRows(rows: readonly OfferedTool[], kept: readonly KeptTool[]): OfferedTool[] {
  return rows.map((row, index) => {
    const found = kept.find((each) => each.index === index);
    if (!found) return row;
    const built = found.parameters === null ? row : buildParameters(row, found.parameters);
    const typed = found.raw === null ? built : typeParameters(built, found.raw);
    return { ...(found.output === null ? typed : typeOutput(typed, found.output)), values: found.values };
  });
}

export function newTool(rows: readonly OfferedTool[]): OfferedTool {
  const tool: ExposedTool = {
    name: freeName(rows, 'tool'),
    description: '',
    parameters: toParameters(newNode('object')),
    prompt: '',
  };
  return startTool(tool);
}

export function duplicateTool(rows: readonly OfferedTool[], row: OfferedTool): OfferedTool {
  return startTool({ ...row.tool, name: freeName(rows, `${row.tool.name.slice(0, 60)}_`) });
}

function freeName(rows: readonly OfferedTool[], stem: string): string {
  for (let number = stem === 'tool' ? rows.length + 1 : 2; ; number += 1) {
    const name = `${stem}${number}`;
    if (!rows.some((row) => row.tool.name === name)) return name;
  }
}

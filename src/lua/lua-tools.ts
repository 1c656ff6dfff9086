import { z } from 'zod';
import type { SourceProblem } from '../agents/agent-source.ts';
import { HubError } from '../base/hub-error.ts';
import { fieldIssues } from '../base/validate.ts';
import { isTable, type WatchedSections } from '../config/script-sections.ts';
import { type LoadedFiles, sectionFiles } from '../config/section-files.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { hostFor, jobOf, readMetadata, type Script, type ScriptParts } from './script-host.ts';
import { toolParameters } from './tool-parameters.ts';

/** The tools of `[tools.script.NAME]`, kept in the registry as their files and sections are now. */
export interface LuaTools {
  /** Brings the registry up to date. Never throws for a broken script: it reports a problem. */
  refresh(): Promise<void>;
  problems(): readonly SourceProblem[];
  /** After tools or problems changed. */
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

const Metadata = z.looseObject({
  name: z.string().optional(),
  title: z.string().min(1).max(200).optional(),
  description: z.string().trim().min(1).max(10_000),
  annotations: z
    .strictObject({
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    })
    .partial()
    .optional(),
});

export function luaTools(options: ScriptParts & { sections: WatchedSections; registry: ToolRegistry }): LuaTools {
  const { registry } = options;
  const files = sectionFiles({
    sections: options.sections,
    load: (section, file) => loadTool(options, { section, table: 'tool', file }),
  });
  const registered = new Map<string, { tool: Tool; remove: () => void }>();
  const listeners = new Set<() => void>();
  let applied: LoadedFiles<Tool> | undefined;
  let clashes: SourceProblem[] = [];
  if (options.sections.isWatched) files.watch(() => void refresh());

  return {
    refresh,
    problems: () => [...(applied?.problems ?? []), ...clashes],
    watch(onChange) {
      listeners.add(onChange);
      return () => {
        listeners.delete(onChange);
      };
    },
    close: () => files.close(),
  };

  async function refresh(): Promise<void> {
    const loaded = await files.current();
    if (loaded === applied) return;
    applied = loaded;
    const names = new Set(loaded.values.map(({ name }) => name));
    for (const [name, { remove }] of registered) {
      if (names.has(name)) continue;
      registered.delete(name);
      remove();
    }
    clashes = loaded.values.flatMap(put);
    for (const listener of listeners) listener();
  }

  /** In the place of its last version, with no moment in which there is none. */
  function put(tool: Tool): SourceProblem[] {
    const before = registered.get(tool.name);
    if (before?.tool === tool) return [];
    try {
      const remove = before ? registry.replace(before.tool, tool) : registry.register(tool);
      registered.set(tool.name, { tool, remove });
      return [];
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return [{ place: tool.origin, message: error.message }];
    }
  }
}

async function loadTool(parts: ScriptParts, script: Script): Promise<Tool> {
  const { section } = script;
  const { fields, functions } = await readMetadata(parts, script);
  const result = Metadata.safeParse(fields);
  if (!result.success) {
    const rules = fieldIssues(result.error).map(({ path, message }) => `tool.${path}: ${message}`);
    throw new HubError('TOOL_ERROR', `${section.shown}: ${rules.join('; ')}`);
  }
  const { name, title, description, annotations } = result.data;
  if (name !== undefined && name !== section.name) {
    throw new HubError(
      'TOOL_ERROR',
      `${section.shown}: tool.name is "${name.slice(0, 80)}", and its section [${section.section}]. Use one name.`,
    );
  }
  if (!functions.includes('execute')) {
    throw new HubError('TOOL_ERROR', `${section.shown}: tool.execute must be a function (params, context).`);
  }
  const { schema, defaults } = toolParameters(fields.parameters, section.shown);
  return defineTool({
    name: section.name,
    ...(title !== undefined && { title }),
    description,
    origin: section.shown,
    annotations: withoutUndefined(annotations ?? {}),
    input: { jsonSchema: schema },
    async run(input, context) {
      const returned = await parts.sandbox.run({
        ...jobOf(script),
        call: {
          name: 'execute',
          args: [{ data: { ...defaults, ...Object(input) } }, { context: { config: section.config } }],
        },
        signal: context.signal,
        host: hostFor(parts.host, section),
      });
      return isTable(returned) ? returned : { result: returned };
    },
  });
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Only what is undefined is left out.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

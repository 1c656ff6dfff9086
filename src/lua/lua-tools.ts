import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { type JsonObject, type JsonValue, withRawNumbers } from '../base/json.ts';
import { fieldIssues } from '../base/validate.ts';
import type { WatchedSections } from '../config/script-sections.ts';
import { sectionFiles } from '../config/section-files.ts';
import { ToolContent } from '../tools/content.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-registry.ts';
import { hostFor, jobOf, readMetadata, type Script, type ScriptParts } from './host/script-host.ts';
import { watchRequests } from './host/script-requests.ts';
import type { LuaJob } from './sandbox/lua-job.ts';
import { toolParameters } from './tool-parameters.ts';

const Metadata = z.looseObject({
  title: z.string().min(1).max(200).optional(),
  description: z.string().trim().max(10_000).optional(),
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

/** `[tools.script.NAME]`: tools written in Lua. A broken script keeps its last valid version. */
export function luaTools(options: ScriptParts & { sections: WatchedSections }): ToolSource {
  return sectionFiles({
    sections: options.sections,
    load: (section, file) => loadTool(options, { section, table: 'tool', file }),
  });
}

/** Creates the tool of a script. Throws TOOL_ERROR, and whatever the sandbox throws. */
export async function loadTool(parts: ScriptParts, script: Script): Promise<Tool> {
  const { section } = script;
  const { fields, functions } = await readMetadata(parts, script);
  const result = Metadata.safeParse(fields);
  if (!result.success) {
    const rules = fieldIssues(result.error).map(({ path, message }) => `tool.${path}: ${message}`);
    throw new HubError('TOOL_ERROR', `${section.shown}: ${rules.join('; ')}`);
  }
  const { title, description, annotations } = result.data;
  if (!functions.includes('execute')) {
    throw new HubError('TOOL_ERROR', `${section.shown}: tool.execute must be a function (params, context).`);
  }
  const { schema, defaults } = toolParameters(fields.parameters, section.shown);
  return defineTool({
    // One script may serve several sections, so its own name does not count.
    name: section.name,
    ...(title !== undefined && { title }),
    description: description || `The Lua tool ${section.name}`,
    origin: section.shown,
    annotations: withoutUndefined(annotations ?? {}),
    input: { jsonSchema: schema },
    async run(input, context) {
      const { explain, onRequest } = watchRequests();
      const job: LuaJob = {
        ...jobOf(script),
        call: {
          name: 'execute',
          args: [{ data: { ...defaults, ...Object(input) } }, { context: { config: section.config } }],
        },
        signal: context.signal,
        host: { ...hostFor(parts.host, section), onRequest },
      };
      const returned = await parts.sandbox.run(job).catch((error) => {
        throw explain(error);
      });
      // The sandbox returns JSON data, so an object is a record.
      const value = withRawNumbers(returned) as JsonValue;
      return isRecord(returned) ? (value as JsonObject) : ToolContent.ofValue(value);
    },
  });
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Removes only undefined values.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

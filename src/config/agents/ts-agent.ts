import { z } from 'zod';
import { slugify } from '../../base/ids.ts';

/** Agent files of TsAgent. Ignores keys that Agent Zoo does not use, because the file belongs to another program. */

/** Accepts numbers as text, as in older files. */
const number = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ])
  .nullish();
const words = z.string().nullish();

const include = z.enum(['always', 'agent', 'manual']).nullish();

const ContextItem = z.looseObject({
  name: z.string().min(1),
  description: words,
  priorityLevel: number,
  text: z.string(),
  include,
  enabled: z.boolean().nullish(),
});
type ContextItem = z.infer<typeof ContextItem>;

const SkillItem = z.looseObject({
  id: words,
  name: z.string().min(1),
  description: words,
  tags: z.array(z.string()).nullish(),
  examples: z.array(z.string()).nullish(),
});

const ToolConfig = z.looseObject({ permissionRequired: z.boolean().nullish(), include });
type ToolConfig = Partial<z.infer<typeof ToolConfig>>;

/** Our tool rules are globs, so a name with glob characters would affect more tools than the file names. */
const notOneName =
  'must be the name of one tool, without "*" or a leading "!". Use the settings of the server to apply a rule to all its tools';

function isOneName(name: string): boolean {
  return !name.includes('*') && !name.startsWith('!');
}

const TsServer = z
  .looseObject({
    serverToolDefaults: ToolConfig.nullish(),
    tools: z.record(z.string(), ToolConfig).nullish(),
    toolPermissionRequired: z
      .looseObject({ serverDefault: z.boolean().nullish(), tools: z.record(z.string(), z.boolean()).nullish() })
      .nullish(),
    toolInclude: z.looseObject({ serverDefault: include, tools: z.record(z.string(), include).nullish() }).nullish(),
  })
  .superRefine((server, context) => {
    const { command, tools, toolPermissionRequired, toolInclude } = server;
    // Other clients use an object here.
    if (typeof command === 'object' && command !== null && !Array.isArray(command))
      context.addIssue({ code: 'custom', path: ['command'], message: 'must be a string: the program to start' });
    const named = {
      tools,
      'toolPermissionRequired.tools': toolPermissionRequired?.tools,
      'toolInclude.tools': toolInclude?.tools,
    };
    for (const [place, names] of Object.entries(named))
      for (const name of Object.keys(names ?? {}).filter((each) => !isOneName(each)))
        context.addIssue({ code: 'custom', path: [...place.split('.'), name], message: notOneName });
    if (!server.serverToolDefaults && !server.tools) return;
    for (const key of ['toolPermissionRequired', 'toolInclude'] as const) {
      const message = 'is the older form of serverToolDefaults and tools, but the file has both. Remove one of them';
      if (server[key]) context.addIssue({ code: 'custom', path: [key], message });
    }
  });
export type TsServer = z.infer<typeof TsServer>;

export const TsAgent = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    version: z.union([z.string(), z.number()]).nullish(),
    description: words,
    mode: z.enum(['interactive', 'autonomous', 'tools']).nullish(),
    autonomous: z.boolean().nullish(),
    skills: z.array(SkillItem).nullish(),
    /** Validated with the agent. */
    tools: z.array(z.looseObject({})).nullish(),
  }),
  settings: z
    .looseObject({
      model: words,
      mostRecentModel: words,
      temperature: number,
      topP: number,
      maxOutputTokens: number,
      maxChatTurns: number,
      toolPermission: z.enum(['always', 'never', 'tool']).nullish(),
    })
    .nullish(),
  systemPrompt: words,
  rules: z.array(ContextItem).nullish(),
  references: z.array(ContextItem).nullish(),
  mcpServers: z
    .record(z.string(), TsServer)
    .superRefine((servers, context) => {
      // The names become part of the agent's scope, so a "*" would match other servers.
      for (const name of Object.keys(servers).filter((each) => each.includes('*')))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'must not contain "*": it is the name of one server',
        });
    })
    .nullish(),
  supervisors: z
    .array(z.unknown())
    .max(0, 'are not supported, and the agent must not run without them. Remove them to run it unsupervised')
    .nullish(),
});
export type TsAgent = z.infer<typeof TsAgent>;

/** Converts a TsAgent file to our fields. The agent schema validates them afterwards. */
export function fieldsOf(file: TsAgent): Record<string, unknown> {
  const { metadata, settings } = file;
  const rules = file.rules ?? [];
  const references = file.references ?? [];
  const fields = {
    name: oneLine(metadata.name),
    description: oneLine(metadata.description ?? ''),
    version: metadata.version === null || metadata.version === undefined ? undefined : String(metadata.version),
    mode: modeOf(metadata),
    systemPrompt: [file.systemPrompt ?? '', section('Rules', rules), section('References', references)]
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .join('\n\n'),
    ...skillsOf(metadata.skills ?? [], rules, references),
    exposes: (metadata.tools ?? []).map(toolOf),
    tools: Object.keys(serversOf(file)).map((name) => `mcp__${name}__*`),
    model: modelOf(settings?.model ?? settings?.mostRecentModel),
    modelSettings: present({
      temperature: settings?.temperature,
      topP: settings?.topP,
      maxOutputTokens: settings?.maxOutputTokens,
      maxChatTurns: settings?.maxChatTurns,
    }),
    toolPermission: settings?.toolPermission,
  };
  return present(fields);
}

function toolOf(tool: Record<string, unknown>): Record<string, unknown> {
  const { name, description, parameters = { type: 'object' }, prompt, outputSchema, cache, version } = tool;
  return present({ name, description, parameters, prompt, outputSchema, cache, version });
}

/** Returns the mode. Falls back to the older `autonomous`, then to what the file contains. */
function modeOf({ mode, autonomous, tools, skills }: TsAgent['metadata']): string {
  if (mode) return mode;
  if (autonomous) return 'autonomous';
  if (tools && tools.length > 0) return 'tools';
  return skills && autonomous !== false ? 'autonomous' : 'interactive';
}

/** TsAgent's provider names that differ from ours. */
const providers: Record<string, string> = { gemini: 'google', claude: 'anthropic' };

/** `gemini:gemini-2.5-flash` is our `google/gemini-2.5-flash`. */
function modelOf(model: string | null | undefined): string | undefined {
  const found = /^([A-Za-z0-9_-]+):(.+)$/.exec(model ?? '');
  if (!found) return model ?? undefined;
  const [, provider = '', name = ''] = found;
  return `${Object.hasOwn(providers, provider) ? providers[provider] : provider}/${name}`;
}

/** Formats the items that are always included for the system prompt, lowest priority number first. */
function section(title: string, items: readonly ContextItem[]): string {
  const always = items.filter(isAlways).toSorted((one, other) => priority(one) - priority(other));
  if (always.length === 0) return '';
  return [`## ${title}`, ...always.map((item) => `### ${oneLine(item.name)}\n${item.text.trim()}`)].join('\n\n');
}

function isAlways({ include, enabled }: ContextItem): boolean {
  return (include ?? 'always') === 'always' && enabled !== false;
}

function priority({ priorityLevel }: ContextItem): number {
  return priorityLevel ?? 500;
}

const categories = {
  skills: { id: 'skills', name: 'Skills', color: '#4f46e5' },
  rules: { id: 'rules', name: 'Rules', color: '#b45309' },
  references: { id: 'references', name: 'References', color: '#0f766e' },
};

/** Converts the other items to skills: enabled if TsAgent's agent would choose them (`agent`), disabled if the user would (`manual`). */
function skillsOf(
  skills: readonly z.infer<typeof SkillItem>[],
  rules: readonly ContextItem[],
  references: readonly ContextItem[],
) {
  const taken = new Set<string>();
  const free = (wanted: string): string => {
    let id = wanted;
    for (let number = 2; taken.has(id); number += 1) id = `${wanted.slice(0, 58)}-${number}`;
    taken.add(id);
    return id;
  };
  const fromSkills = skills.map(({ id, name, description, tags, examples }) => ({
    id: free(oneLine(id ?? '') || idOf(name)),
    name: oneLine(name),
    description: [
      description ?? '',
      tags && tags.length > 0 ? `Tags: ${tags.join(', ')}` : '',
      examples && examples.length > 0 ? `Examples:\n${examples.map((each) => `- ${each}`).join('\n')}` : '',
    ]
      .filter((each) => each !== '')
      .join('\n\n'),
    categoryId: categories.skills.id,
  }));
  const others = Object.entries({ rules, references }).flatMap(([kind, items]) =>
    items
      .filter((item) => !isAlways(item))
      .map((item) => ({
        id: free(idOf(item.name)),
        name: oneLine(item.name),
        description: [item.description ?? '', item.text.trim()].filter((each) => each !== '').join('\n\n'),
        categoryId: kind,
        enabled: item.include === 'agent' && item.enabled !== false,
      })),
  );
  const all = [...fromSkills, ...others];
  const used = Object.values(categories).filter(({ id }) => all.some((skill) => skill.categoryId === id));
  return { skills: all, skillCategories: used };
}

function idOf(name: string): string {
  return slugify(name) || oneLine(name).slice(0, 60);
}

/** Whether a server runs inside TsAgent, to change rules, references and tools, or to watch other agents. */
export function isInternal({ type, tool, command, url }: TsServer): boolean {
  return (
    type === 'internal' || (type === undefined && tool !== undefined && command === undefined && url === undefined)
  );
}

/** Settings of other clients and of our config that skip approval. TsAgent has none of them. */
const approvalSkippingKeys = ['autoApprove', 'alwaysAllow', 'trust', 'approve'];

export function approvalSkippingKeysOf(server: TsServer): string[] {
  return approvalSkippingKeys.filter((key) => server[key] !== undefined);
}

/** Returns the servers of the file in the format of other clients, with the rules for their tools. */
export function serversOf({ mcpServers }: TsAgent): Record<string, Record<string, unknown>> {
  const real = Object.entries(mcpServers ?? {}).filter(([, server]) => !isInternal(server));
  return Object.fromEntries(
    real.map(([name, server]) => {
      const {
        tools: _,
        serverToolDefaults: __,
        toolPermissionRequired,
        toolInclude,
        toolEmbeddings,
        type,
        ...rest
      } = server;
      const kind = type === 'streamable' ? 'streamable-http' : type;
      const safeSettings = Object.fromEntries(
        Object.entries(rest).filter(([key]) => !approvalSkippingKeys.includes(key)),
      );
      return [name, { ...safeSettings, ...present({ type: kind }), ...rulesOf(server) }];
    }),
  );
}

interface ToolRules {
  approve: string[];
  include?: string[];
  exclude?: string[];
}

/**
 * Returns the approval rules and the available tools. TsAgent requires approval for all tools unless the file says otherwise,
 * whatever the tool's annotations say. A tool with `include: manual` is unavailable until the user adds it.
 */
function rulesOf(server: TsServer): ToolRules {
  const { defaults, tools } = toolConfig(server);
  const named = Object.entries(tools);
  const approve =
    (defaults.permissionRequired ?? true)
      ? ['*', ...named.filter(([, tool]) => tool.permissionRequired === false).map(([name]) => `!${name}`)]
      : named.filter(([, tool]) => tool.permissionRequired === true).map(([name]) => name);
  const namesWith = (isWanted: (include: ToolConfig['include']) => boolean) =>
    named.filter(([, { include }]) => isWanted(include)).map(([name]) => name);
  if (defaults.include === 'manual')
    return { approve, include: namesWith((include) => include === 'always' || include === 'agent') };
  const manual = namesWith((include) => include === 'manual');
  return manual.length === 0 ? { approve } : { approve, exclude: manual };
}

/** Reads the tool settings, in the format of this version or an older one. */
function toolConfig(server: TsServer): { defaults: ToolConfig; tools: Record<string, ToolConfig> } {
  const { toolPermissionRequired: permissions, toolInclude: included } = server;
  if (!permissions && !included) return { defaults: server.serverToolDefaults ?? {}, tools: server.tools ?? {} };
  const names = [...Object.keys(permissions?.tools ?? {}), ...Object.keys(included?.tools ?? {})];
  const tools = names.map((name) => [
    name,
    { permissionRequired: permissions?.tools?.[name], include: included?.tools?.[name] },
  ]);
  return {
    defaults: { permissionRequired: permissions?.serverDefault, include: included?.serverDefault },
    tools: Object.fromEntries(tools),
  };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

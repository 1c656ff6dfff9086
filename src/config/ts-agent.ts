import { z } from 'zod';
import { slugify } from '../base/ids.ts';
import { isTable } from './script-sections.ts';

/**
 * Agent files of TsAgent. Keys that we have no use for (the look of its window, embeddings, keys of providers) are left alone:
 * the file belongs to another program.
 */

/** Older files write numbers as text. */
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

const ContextItem = z.looseObject({
  name: z.string().min(1),
  description: words,
  priorityLevel: number,
  text: z.string(),
  include: z.enum(['always', 'agent', 'manual']).nullish(),
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

export const TsAgent = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    version: z.union([z.string(), z.number()]).nullish(),
    description: words,
    mode: z.enum(['interactive', 'autonomous', 'tools']).nullish(),
    autonomous: z.boolean().nullish(),
    skills: z.array(SkillItem).nullish(),
    /** Checked as the tools of every agent are. */
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
  mcpServers: z.record(z.string(), z.looseObject({})).nullish(),
});
export type TsAgent = z.infer<typeof TsAgent>;

/** Our own fields for it. What is too long or names nothing is for the agent's own check to say. */
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

/** `mode` is the newer word; without either, what the file offers tells. */
function modeOf({ mode, autonomous, tools, skills }: TsAgent['metadata']): string {
  if (mode) return mode;
  if (autonomous) return 'autonomous';
  if (tools && tools.length > 0) return 'tools';
  return skills && autonomous !== false ? 'autonomous' : 'interactive';
}

/** TsAgent's names of providers, where ours differ. */
const providers: Record<string, string> = { gemini: 'google', claude: 'anthropic' };

/** `gemini:gemini-2.5-flash` is our `google/gemini-2.5-flash`. */
function modelOf(model: string | null | undefined): string | undefined {
  const found = /^([A-Za-z0-9_-]+):(.+)$/.exec(model ?? '');
  if (!found) return model ?? undefined;
  const [, provider = '', name = ''] = found;
  return `${Object.hasOwn(providers, provider) ? providers[provider] : provider}/${name}`;
}

/** What always counts is part of the system prompt, lowest number first. */
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

/** The rest are skills: on where TsAgent chooses by itself (`agent`), off where a person would (`manual`). */
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
  const own = skills.map(({ id, name, description, tags, examples }) => ({
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
  const all = [...own, ...others];
  const used = Object.values(categories).filter(({ id }) => all.some((skill) => skill.categoryId === id));
  return { skills: all, skillCategories: used };
}

function idOf(name: string): string {
  return slugify(name) || oneLine(name).slice(0, 60);
}

/** The servers of the file in the words of other clients. Those inside TsAgent are no servers. */
export function serversOf({ mcpServers }: TsAgent): Record<string, Record<string, unknown>> {
  const real = Object.entries(mcpServers ?? {}).filter(([, { type }]) => type !== 'internal');
  return Object.fromEntries(
    real.map(([name, { tools, serverToolDefaults, type, ...rest }]) => [
      name,
      {
        ...rest,
        ...(type !== undefined && { type: type === 'streamable' ? 'streamable-http' : type }),
        ...present({ approve: approveOf(tools, serverToolDefaults) }),
      },
    ]),
  );
}

/** Which tools a person is asked about. One that needs nobody among all that do cannot be said, so it is asked about too. */
function approveOf(tools: unknown, defaults: unknown): string[] | undefined {
  const asks = isTable(defaults) ? defaults.permissionRequired : undefined;
  if (asks === true) return ['*'];
  const named = Object.entries(isTable(tools) ? tools : {}).flatMap(([name, tool]) =>
    isTable(tool) && tool.permissionRequired === true ? [name] : [],
  );
  return asks === false ? named : undefined;
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

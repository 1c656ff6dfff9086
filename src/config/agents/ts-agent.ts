import { z } from 'zod';
import { slugify } from '../../base/ids.ts';
import { serversOf, TsServer } from './ts-agent-servers.ts';
import { toTemplate } from './ts-agent-template.ts';

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

const webAddress = /^https?:\/\/\S+$/i;

/** A rule or reference, in an agent file or at the top of a file of its own. */
export const TsItem = z.looseObject({
  name: z.string().min(1),
  description: words,
  priorityLevel: number.refine(
    (level) => level === null || level === undefined || (Number.isInteger(level) && level >= 0 && level <= 999),
    'must be a whole number from 0 to 999',
  ),
  text: z.string(),
  include: z.enum(['always', 'agent', 'manual']).nullish(),
  enabled: z.boolean().nullish(),
});
export type TsItem = z.infer<typeof TsItem>;

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
    iconUrl: words,
    documentationUrl: words,
    provider: z.looseObject({ organization: words, url: words }).nullish(),
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
      maxChatTurns: number.refine(
        (turns) => turns === null || turns === undefined || turns >= 1,
        'must be at least 1: an answer needs one turn',
      ),
      contextTopN: number,
      toolPermission: z.enum(['always', 'never', 'tool']).nullish(),
    })
    .nullish(),
  systemPrompt: words,
  rules: z.array(TsItem).nullish(),
  references: z.array(TsItem).nullish(),
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
  const { provider } = metadata;
  const fields = {
    name: oneLine(metadata.name),
    description: oneLine(metadata.description ?? ''),
    version: metadata.version === null || metadata.version === undefined ? undefined : String(metadata.version),
    mode: modeOf(metadata),
    systemPrompt: file.systemPrompt ?? '',
    ...skillsOf(metadata.skills ?? []),
    rules: itemsOf(file.rules ?? []),
    references: itemsOf(file.references ?? []),
    exposes: (metadata.tools ?? []).map(toolOf),
    tools: Object.keys(serversOf(file)).map((name) => `mcp__${name}__*`),
    model: modelOf(settings?.model ?? settings?.mostRecentModel),
    modelSettings: present({
      temperature: settings?.temperature,
      topP: settings?.topP,
      maxOutputTokens: settings?.maxOutputTokens,
      maxChatTurns: rounded(settings?.maxChatTurns),
      contextTopN: rounded(settings?.contextTopN),
    }),
    toolPermission: settings?.toolPermission,
    provider: provider && isNamed(provider) ? { organization: provider.organization, url: provider.url } : undefined,
    iconUrl: addressOf(metadata.iconUrl),
    documentationUrl: addressOf(metadata.documentationUrl),
  };
  return present(fields);
}

/** Returns what the agent works without, each with its place in the file. */
export function leftOut({ metadata, rules, references }: TsAgent): { key: string; message: string }[] {
  const found: { key: string; message: string }[] = [];
  for (const key of ['iconUrl', 'documentationUrl'] as const)
    if (metadata[key] && !addressOf(metadata[key]))
      found.push({ key: `metadata.${key}`, message: 'is not a web address and was left out.' });
  if (metadata.provider && !isNamed(metadata.provider))
    found.push({
      key: 'metadata.provider',
      message: 'needs an organization and a web address as url. It was left out.',
    });
  for (const [kind, items] of Object.entries({ rules: rules ?? [], references: references ?? [] })) {
    const names = items.map(({ name }) => oneLine(name));
    const twins = new Set(names.filter((name, index) => names.indexOf(name) !== index));
    for (const name of twins)
      found.push({ key: kind, message: `"${name.slice(0, 80)}" is there twice. The first one is used.` });
  }
  return found;
}

function addressOf(text: string | null | undefined): string | undefined {
  return text && webAddress.test(text.trim()) && URL.canParse(text.trim()) ? text.trim() : undefined;
}

function isNamed({ organization, url }: { organization?: string | null | undefined; url?: string | null | undefined }) {
  return Boolean(organization?.trim()) && addressOf(url) !== undefined;
}

function rounded(value: number | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Math.round(value);
}

function toolOf(tool: Record<string, unknown>): Record<string, unknown> {
  const { name, description, parameters = { type: 'object' }, prompt, outputSchema, cache, version } = tool;
  const template = typeof prompt === 'string' ? toTemplate(prompt, { name: String(name), parameters }) : prompt;
  return present({ name, description, parameters, prompt: template, outputSchema, cache, version });
}

/** Returns the mode, or what the file implies. An agent with both tools and skills, or with tools and `autonomous`, serves both. */
function modeOf({ mode, autonomous, tools, skills }: TsAgent['metadata']): string {
  const hasTools = tools !== null && tools !== undefined && tools.length > 0;
  if (mode && !(mode === 'tools' && autonomous)) return mode;
  if (autonomous) return 'autonomous';
  if (hasTools) return skills && skills.length > 0 && autonomous !== false ? 'autonomous' : 'tools';
  return skills && autonomous !== false ? 'autonomous' : 'interactive';
}

/** TsAgent's provider names that differ from ours. */
const providers: Record<string, string> = { gemini: 'google', claude: 'anthropic' };

/** `gemini:gemini-2.5-flash` is our `google/gemini-2.5-flash`. */
function modelOf(model: string | null | undefined): string | undefined {
  const found = /^([A-Za-z0-9_-]+):(.+)$/.exec(model ?? '');
  if (!found) return model ?? undefined;
  const [, written = '', name = ''] = found;
  const provider = written.toLowerCase();
  return `${Object.hasOwn(providers, provider) ? providers[provider] : provider}/${name}`;
}

const category = { id: 'skills', name: 'Skills', color: '#4f46e5' };

function skillsOf(skills: readonly z.infer<typeof SkillItem>[]) {
  const taken = new Set<string>();
  const free = (wanted: string): string => {
    let id = wanted;
    for (let number = 2; taken.has(id); number += 1) id = `${wanted.slice(0, 58)}-${number}`;
    taken.add(id);
    return id;
  };
  return {
    skillCategories: skills.length === 0 ? [] : [category],
    skills: skills.map(({ id, name, description, tags, examples }) => ({
      id: free(oneLine(id ?? '') || idOf(name)),
      name: oneLine(name),
      description: [
        description ?? '',
        tags && tags.length > 0 ? `Tags: ${tags.join(', ')}` : '',
        examples && examples.length > 0 ? `Examples:\n${examples.map((each) => `- ${each}`).join('\n')}` : '',
      ]
        .filter((each) => each !== '')
        .join('\n\n'),
      categoryId: category.id,
    })),
  };
}

/** TsAgent uses the first of two items with the same name, and includes an item only if it is asked to. */
function itemsOf(items: readonly TsItem[]) {
  const names = new Set<string>();
  return items
    .map(({ name, description, priorityLevel, text, include, enabled }) => ({
      name: oneLine(name),
      description: description ?? '',
      priority: priorityLevel ?? 500,
      text,
      include: enabled === false ? 'manual' : (include ?? 'manual'),
    }))
    .filter(({ name }) => !names.has(name) && names.add(name));
}

function idOf(name: string): string {
  return slugify(name) || oneLine(name).slice(0, 60);
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

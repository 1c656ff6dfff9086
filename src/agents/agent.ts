import { z } from 'zod';
import { SearchMode } from '../knowledge/search/search-request.ts';
import { ExposedTool } from './exposes/exposed-tool.ts';
import { PromptItem, promptItemLimits } from './prompt-item.ts';
import { cycleThrough } from './skill-requires.ts';
import { filledLine, line, text } from './text-fields.ts';

export const agentLimits = {
  name: 120,
  description: 1_000,
  tag: 40,
  tags: 20,
  systemPrompt: 400_000,
  skills: 500,
  skillDescription: 50_000,
  tools: 500,
  arguments: 50,
  knowledge: 20,
  contextRefs: 200,
  contextBudget: 200_000,
} as const;

/** A URL-safe slug. Some clients build tool names from it, which would be too long if it had more than 64 characters. */
export const AgentId = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/,
    'must be 1–64 characters from a–z A–Z 0–9 _ - and begin and end with a letter or digit',
  );

export const SkillCategory = z.strictObject({
  id: filledLine(64),
  name: filledLine(80),
  color: z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #4f46e5'),
});
export type SkillCategory = z.infer<typeof SkillCategory>;

export const Skill = z.strictObject({
  id: filledLine(64),
  name: filledLine(120),
  description: text(agentLimits.skillDescription).default(''),
  categoryId: filledLine(64).nullable().default(null),
  enabled: z.boolean().default(true),
  /** The ids of skills that are active whenever this one is. */
  requires: z.array(filledLine(64)).max(50).exactOptional(),
});
export type Skill = z.infer<typeof Skill>;

export const AgentArgument = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
      'must be 1–64 characters from A–Z a–z 0–9 _ - and begin with a letter or _',
    ),
  description: text(500).default(''),
  required: z.boolean().default(false),
});
export type AgentArgument = z.infer<typeof AgentArgument>;

/** A search whose passages are added to the agent's prompt each time the prompt is built. */
export const KnowledgeQuery = z.strictObject({
  /** `{argument}` is replaced by its value, or removed if it has none. */
  query: filledLine(1_000),
  /** A source such as `git:runbooks`, its name, or a type. Null searches everything. */
  source: filledLine(200).nullable().default(null),
  tags: z.array(filledLine(200)).max(50).default([]),
  /** Null means hybrid if embeddings are configured, and keyword otherwise. */
  mode: SearchMode.nullable().default(null),
  limit: z.int().min(1).max(20).default(3),
});
export type KnowledgeQuery = z.infer<typeof KnowledgeQuery>;

/** A web address, which is shown and never fetched. */
const webAddress = filledLine(2_000).refine(
  (value) => /^https?:\/\//i.test(value) && URL.canParse(value),
  'must be an address that starts with http:// or https://',
);

/** The organization behind an agent, as its A2A card shows it. */
const AgentProvider = z.strictObject({ organization: filledLine(200), url: webAddress });

export const AgentMode = z.enum(['interactive', 'autonomous', 'tools']);
export type AgentMode = z.infer<typeof AgentMode>;
export const AgentSourceKind = z.enum(['store', 'toml', 'lua', 'code']);
export type AgentSourceKind = z.infer<typeof AgentSourceKind>;

const fields = {
  name: filledLine(agentLimits.name),
  description: line(agentLimits.description).default(''),
  version: filledLine(40).default('1.0.0'),
  /** Words that group agents in lists. They do not reach the model. */
  tags: z.array(filledLine(agentLimits.tag)).max(agentLimits.tags).default([]),
  mode: AgentMode.default('interactive'),
  systemPrompt: text(agentLimits.systemPrompt).default(''),
  skillCategories: z.array(SkillCategory).max(100).default([]),
  skills: z.array(Skill).max(agentLimits.skills).default([]),
  rules: z.array(PromptItem).max(promptItemLimits.items).default([]),
  references: z.array(PromptItem).max(promptItemLimits.items).default([]),
  tools: z.array(filledLine(128)).max(agentLimits.tools).default([]),
  arguments: z.array(AgentArgument).max(agentLimits.arguments).default([]),
  exposes: z.array(ExposedTool).max(200).default([]),
  /** Whether all calls that one client makes to the exposed tools share a conversation. */
  shareContext: z.boolean().default(false),
  knowledge: z.array(KnowledgeQuery).max(agentLimits.knowledge).default([]),
  /** Files and web addresses that clients get with the prompt. */
  contextRefs: z.array(filledLine(2_000)).max(agentLimits.contextRefs).default([]),
  /** References are embedded as long as they fit, in tokens; the others become links. */
  contextBudget: z.int().min(0).max(agentLimits.contextBudget).default(4_000),
  model: filledLine(200).nullable().default(null),
  modelSettings: z.record(z.string(), z.json()).default({}),
  toolPermission: z.enum(['always', 'never', 'tool']).default('tool'),
  /** The text that determines the agent's picture. Null: its id. */
  appearanceSeed: filledLine(200).nullable().default(null),
  provider: AgentProvider.nullable().default(null),
  iconUrl: webAddress.nullable().default(null),
  documentationUrl: webAddress.nullable().default(null),
};

/** An agent as a user or a file defines it. Without an id, one is derived from the name. */
export const AgentInput = z.strictObject({ id: AgentId.optional(), ...fields }).superRefine(checkReferences);
export type AgentInput = z.input<typeof AgentInput>;

/** Some fields of an agent, to change only these. */
export const AgentChange = z.strictObject({ id: AgentId, ...fields }).partial();

/** The one shape of an agent, wherever it was defined. */
export const Agent = z.strictObject({ id: AgentId, ...fields, source: AgentSourceKind }).superRefine(checkReferences);
export type Agent = z.infer<typeof Agent>;

/** Tells whether the agent may change or send something without asking. If so, its caller asks instead. */
export function actsUnasked({ toolPermission, tools }: Pick<Agent, 'toolPermission' | 'tools'>): boolean {
  return toolPermission === 'never' && tools.length > 0;
}

/** Tells whether the agent answers other agents over A2A. */
export function speaksA2a({ mode }: Pick<Agent, 'mode'>): boolean {
  return mode === 'autonomous';
}

/** Tells whether the agent is an MCP server of its own: in Tools mode, or as an autonomous agent that offers tools. */
export function servesTools({ mode, exposes }: Pick<Agent, 'mode' | 'exposes'>): boolean {
  return mode === 'tools' || (mode === 'autonomous' && exposes.length > 0);
}

interface Referring {
  tags: readonly string[];
  skillCategories: readonly { id: string }[];
  skills: readonly { id: string; categoryId: string | null; requires?: readonly string[] }[];
  rules: readonly { name: string }[];
  references: readonly { name: string }[];
  arguments: readonly { name: string }[];
  exposes: readonly { name: string }[];
}

function checkReferences(agent: Referring, context: z.RefinementCtx): void {
  const names = (each: { name: string }) => each.name;
  const ids = (each: { id: string }) => each.id;
  checkUnique('tags', agent.tags, context);
  checkUnique('skillCategories', agent.skillCategories.map(ids), context);
  checkUnique('skills', agent.skills.map(ids), context);
  checkUnique('rules', agent.rules.map(names), context);
  checkUnique('references', agent.references.map(names), context);
  checkUnique('arguments', agent.arguments.map(names), context);
  checkUnique('exposes', agent.exposes.map(names), context);
  checkRequirements(agent, context);
  const categories = new Set(agent.skillCategories.map((each) => each.id));
  for (const [index, skill] of agent.skills.entries()) {
    if (skill.categoryId !== null && !categories.has(skill.categoryId)) {
      context.addIssue({
        code: 'custom',
        path: ['skills', index, 'categoryId'],
        message: `unknown skill category "${skill.categoryId}"`,
      });
    }
  }
}

function checkRequirements({ skills }: Pick<Referring, 'skills'>, context: z.RefinementCtx): void {
  const ids = skills.map(({ id }) => id);
  for (const [index, skill] of skills.entries()) {
    for (const [at, id] of (skill.requires ?? []).entries()) {
      if (ids.includes(id)) continue;
      const message = `unknown skill "${id}". Available: ${ids.slice(0, 20).join(', ')}`;
      context.addIssue({ code: 'custom', path: ['skills', index, 'requires', at], message });
    }
    const cycle = cycleThrough(skills, skill.id);
    if (!cycle) continue;
    const way = cycle.length > 2 ? `: ${cycle.join(' → ')}` : '';
    const message = `"${skill.id}" requires itself${way}`;
    context.addIssue({ code: 'custom', path: ['skills', index, 'requires'], message });
    // The other skills of the cycle would only repeat it.
    break;
  }
}

function checkUnique(field: string, keys: readonly string[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, key] of keys.entries()) {
    if (seen.has(key)) context.addIssue({ code: 'custom', path: [field, index], message: `"${key}" is used twice` });
    seen.add(key);
  }
}

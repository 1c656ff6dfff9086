import { slugify } from '../base/ids.ts';
import { isRecord } from '../base/is-record.ts';
import { AgentId, agentLimits } from './agent.ts';

/** An agent of an import in our shape, still unchecked, and what was changed to make it fit. */
export interface ReadAgent {
  agent: unknown;
  notes: string[];
}

const general = { id: 'general', name: 'General', color: '#61988E' };

/** Tells whether a document is the store of AgentZoo, `agents.json`. It has no mark of its own: only a list of agents. */
export function isAgentZooStore(document: unknown): document is { agents: unknown[] } {
  return isRecord(document) && !('format' in document) && Array.isArray(document.agents);
}

/** Tells whether an agent on its own was written by AgentZoo. */
export function isAgentZooAgent(agent: unknown): boolean {
  if (!isRecord(agent)) return false;
  return 'brainEntries' in agent || 'personality' in agent || isRecord(agent.skills);
}

/**
 * Converts an agent of AgentZoo, whose first versions kept skills as `{id: enabled}` and the system prompt as `personality`. What
 * it leaves out is filled in as AgentZoo does. Returns anything but an object unchanged, so that the schema refuses it.
 */
export function readAgentZoo(given: unknown): ReadAgent {
  if (!isRecord(given)) return { agent: given, notes: [] };
  const { id, name: givenName, description, systemPrompt, personality, brainEntries, ...others } = given;
  const { currentAgentId: _, skills: givenSkills, skillCategories, contextRefs, appearanceSeed, ...unknown } = others;
  const name = fitted(oneLine(givenName) || 'Unnamed', agentLimits.name);
  const about = fitted(oneLine(description), agentLimits.description);
  const slug = typeof id === 'string' ? (AgentId.safeParse(id).success ? id : slugify(id) || slugify(name)) : '';
  const { categories, skills } = readSkills(givenSkills, skillCategories);
  const fields = Object.keys(unknown);
  const labels = (Array.isArray(contextRefs) ? contextRefs : []).filter((ref) => !/[\\/.:]/.test(String(ref)));
  const notes = [
    ...(slug !== '' && slug !== id ? [`The id "${id}" became "${slug}".`] : []),
    ...(name === oneLine(givenName) ? [] : ['The name was filled in or shortened.']),
    ...(about === (description ?? '') ? [] : ['The description was put on one line or shortened.']),
    ...labels.map((ref) => `The context reference "${ref}" names no file or page, so it is left out of prompts.`),
    ...(fields.length === 0 ? [] : [`Unknown fields were left out: ${fields.join(', ').slice(0, 200)}.`]),
  ];
  const agent = {
    ...(slug !== '' && { id: slug }),
    name,
    description: about,
    systemPrompt: systemPrompt ?? personality ?? '',
    skillCategories: categories,
    skills,
    // There, an injected agent could always use all the tools.
    tools: ['agent_zoo_*'],
    contextRefs: contextRefs ?? [],
    ...(oneLine(appearanceSeed) !== '' && { appearanceSeed: oneLine(appearanceSeed).slice(0, 200) }),
    brain: Array.isArray(brainEntries) ? brainEntries.map(readEntry) : [],
  };
  return { agent, notes: notes.map((note) => `${slug || name}: ${note}`) };
}

function readSkills(skills: unknown, given: unknown) {
  const listed = Array.isArray(skills)
    ? skills
    : Object.entries(isRecord(skills) ? skills : {}).map(([id, enabled]) => ({ id, enabled: Boolean(enabled) }));
  const named = Array.isArray(given) && given.length > 0 ? given.map(readCategory) : [];
  const categories = named.length === 0 ? [general] : named;
  const known = new Set(categories.map((category) => (isRecord(category) ? category.id : undefined)));
  const first = categories[0];
  const fallback = isRecord(first) ? first.id : null;
  return {
    categories,
    skills: withOwnIds(listed).map((skill) =>
      isRecord(skill)
        ? {
            id: skill.id,
            name: oneLine(skill.name) || titleCase(String(skill.id)),
            description: skill.description ?? '',
            categoryId: known.has(skill.categoryId) ? skill.categoryId : fallback,
            enabled: Boolean(skill.enabled),
          }
        : skill,
    ),
  };
}

/** Accepts the short form of a colour, `#abc`; any other text becomes the colour that AgentZoo begins with. */
function readCategory(category: unknown): unknown {
  if (!isRecord(category)) return category;
  const color = String(category.color ?? '').replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
  return { ...category, color: /^#[0-9a-f]{6}$/i.test(color) ? color : general.color };
}

/** Ids came from names, so two skills may have the same one. */
function withOwnIds(skills: readonly unknown[]): unknown[] {
  const taken = new Set<unknown>();
  const last = new Map<unknown, number>();
  return skills.map((skill) => {
    if (!isRecord(skill)) return skill;
    let id = skill.id;
    let number = last.get(skill.id) ?? 1;
    while (taken.has(id)) {
      number += 1;
      id = `${skill.id}-${number}`;
    }
    taken.add(id);
    last.set(skill.id, number);
    return { ...skill, id };
  });
}

/** Optional fields may be null. */
function readEntry(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => name !== 'agentId' && value !== null));
}

function titleCase(id: string): string {
  return id.replace(/[-_]+/g, ' ').replace(/\b\w/g, (letter) => letter.toUpperCase());
}

function oneLine(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
}

function fitted(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).toWellFormed() : text;
}

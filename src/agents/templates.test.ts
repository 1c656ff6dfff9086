import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { matchesAnyGlob } from '../base/glob.ts';
import { slugify } from '../base/ids.ts';
import { Agent, AgentInput } from './agent.ts';
import { resolveStatically } from './agent-prompt.ts';
import { compilePrompt } from './compile-prompt.ts';
import { palette } from './templates/palette.ts';
import { agentTemplates } from './templates.ts';

const promisedTemplates = ['code-reviewer', 'architect', 'onboarding', 'incident-responder', 'writer'];
const hubTools = new Set([
  'agent_zoo_*',
  'agent_zoo_create_brain_entry',
  'agent_zoo_update_brain_entry',
  'agent_zoo_delete_brain_entry',
  'agent_zoo_query_brain_entries',
  'search',
  'get',
  'sources',
  'create_jira_ticket',
]);

describe('the starter agents', () => {
  it('include the five promised ones and at least ten in all, with unique ids', () => {
    const ids = agentTemplates.map((template) => template.id);
    expect(ids.length).toBeGreaterThanOrEqual(10);
    expect(ids).toEqual(expect.arrayContaining(promisedTemplates));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are all listed: every file in the folder has its template', () => {
    const files = readdirSync(new URL('./templates/', import.meta.url))
      .map((file) => file.replace(/\.ts$/, ''))
      .filter((name) => name !== 'palette' && name !== 'brain-scope');
    expect(files.toSorted()).toEqual(agentTemplates.map((template) => template.id).toSorted());
  });

  it.each([
    ['code-reviewer', ['search', 'get']],
    ['architect', ['search', 'get', 'sources']],
    ['onboarding', ['search', 'get']],
    ['incident-responder', ['search', 'get', 'create_jira_ticket']],
    ['writer', ['search', 'get']],
  ])('%s has the promised tools and those of its brain', (id, tools) => {
    const agent = agentTemplates.find((template) => template.id === id)?.agent;
    expect(agent?.tools?.filter((tool) => !tool.startsWith('agent_zoo_'))).toEqual(tools);
    expect(agent?.tools).toContain('agent_zoo_create_brain_entry');
    expect(agent?.tools).toContain('agent_zoo_query_brain_entries');
  });
});

describe.each(agentTemplates.map((template) => [template.id, template] as const))('template %s', (_, template) => {
  const input = AgentInput.parse(template.agent);
  const agent = Agent.parse({ ...input, id: template.id, source: 'store' });
  const texts = [agent.systemPrompt, ...agent.skills.map((skill) => skill.description)];

  it('gets its id from its name and leaves the id of the new agent open', () => {
    expect(slugify(agent.name)).toBe(template.id);
    expect(template.agent.id).toBeUndefined();
    expect(template).toMatchObject({ name: agent.name, description: agent.description });
  });

  it('fits the gallery: a short description, a category, a version', () => {
    expect(agent.description.length).toBeGreaterThan(40);
    expect(agent.description.length).toBeLessThan(120);
    expect(template.category).toMatch(/^\p{Lu}/u);
    expect(agent.version).toBe('1.0.0');
  });

  it('has a prompt of 150 to 400 words that says when to remember', () => {
    expect(words(agent.systemPrompt)).toBeGreaterThanOrEqual(150);
    expect(words(agent.systemPrompt)).toBeLessThanOrEqual(400);
    expect(agent.systemPrompt).toContain('agent_zoo_create_brain_entry');
  });

  it('has five to nine skills of 40 to 120 words, each in a category, some off by default', () => {
    expect(agent.skills.length).toBeGreaterThanOrEqual(5);
    expect(agent.skills.length).toBeLessThanOrEqual(9);
    for (const skill of agent.skills) {
      expect(words(skill.description), skill.name).toBeGreaterThanOrEqual(40);
      expect(words(skill.description), skill.name).toBeLessThanOrEqual(120);
    }
    expect(new Set(agent.skills.map((skill) => skill.categoryId))).toEqual(
      new Set(agent.skillCategories.map((category) => category.id)),
    );
    expect(agent.skills.some((skill) => skill.enabled)).toBe(true);
    expect(agent.skills.some((skill) => !skill.enabled)).toBe(true);
  });

  it('has two to four categories in different colours', () => {
    expect(agent.skillCategories.length).toBeGreaterThanOrEqual(2);
    expect(agent.skillCategories.length).toBeLessThanOrEqual(4);
    const colors = agent.skillCategories.map((category) => category.color);
    expect(new Set(colors).size).toBe(colors.length);
    expect(Object.values(palette)).toEqual(expect.arrayContaining(colors));
  });

  it('compiles to a prompt with every enabled skill and none of the others', () => {
    const { text, warnings } = compilePrompt(agent);
    expect(warnings).toEqual([]);
    for (const skill of agent.skills) {
      expect(text.includes(`### ${skill.name}\n${skill.description}`), skill.name).toBe(skill.enabled);
    }
  });

  it('refers to exactly the arguments it declares, and needs none of them', () => {
    const referred = texts.flatMap((text) => [...text.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]));
    expect(new Set(referred)).toEqual(new Set(agent.arguments.map((argument) => argument.name)));
    expect(agent.arguments.every((argument) => !argument.required && argument.description !== '')).toBe(true);
  });

  it('puts the given arguments into its prompt', () => {
    const values = Object.fromEntries(agent.arguments.map(({ name }) => [name, `the-${name}-given`]));
    const { system } = resolveStatically(agent, values);
    for (const value of Object.values(values)) expect(system).toContain(value);
    expect(system).not.toMatch(/[{}]/);
  });

  it('is scoped to tools of the hub, and its texts name no others', () => {
    expect(agent.tools.length).toBeGreaterThan(0);
    expect(agent.tools.filter((tool) => !hubTools.has(tool))).toEqual([]);
    const named = texts.flatMap((text) => text.match(/\bagent_zoo_\w+|\bcreate_jira_ticket\b/g) ?? []);
    expect(named.filter((tool) => !matchesAnyGlob(agent.tools, tool))).toEqual([]);
  });

  it('has no emoji', () => {
    expect(texts.join('\n')).not.toMatch(/\p{Extended_Pictographic}/u);
  });
});

describe('the colours of the categories', () => {
  it.each(Object.entries(palette))('%s can be read on white and seen on dark', (_, color) => {
    expect(contrast(color, '#ffffff')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(color, '#18181b')).toBeGreaterThanOrEqual(3);
  });
});

function words(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

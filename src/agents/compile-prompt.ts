import type { Agent } from './agent.ts';
import { byPriority, inSystemPrompt, type PromptItem, type WithItems } from './prompt-item.ts';
import { activeSkills, type RequiringSkill } from './skill-requires.ts';

/** The fields of an agent that its compiled prompt depends on. */
export type Compilable = Pick<Agent, 'id' | 'name' | 'systemPrompt' | 'skills'> & WithItems;

export interface PromptSection {
  kind: 'header' | 'system' | 'skill';
  title: string;
  /** Set for a skill. */
  skillId?: string;
  text: string;
}

export interface CompiledPrompt {
  text: string;
  /** The parts of the prompt. Only `text` contains the separators and headings between them. */
  sections: PromptSection[];
  warnings: string[];
}

/**
 * Builds the prompt that clients get: identity line, system prompt, then the enabled skills under a rule and the heading "Active
 * Skills". Without a system prompt there is no rule. Clients and tests depend on every byte of it. Runs in the browser for the
 * live preview.
 *
 * `isConversation` leaves out rules and references that a session adds message by message.
 */
export function compilePrompt(
  agent: Compilable,
  { isConversation = false, hasIdentity = true }: { isConversation?: boolean | undefined; hasIdentity?: boolean } = {},
): CompiledPrompt {
  const sections: PromptSection[] = [];
  const parts: string[] = [];
  const warnings: string[] = [];
  if (hasIdentity) {
    const header = `You are now ${agent.name}. Use agentId=${agent.id} for all agent_zoo tool usage.`;
    parts.push(header);
    sections.push({ kind: 'header', title: 'Identity', text: header });
  }
  const system = systemText(agent, { isConversation });
  const isEmpty = system.trim() === '';
  if (isEmpty) {
    warnings.push('The system prompt is empty.');
  } else {
    parts.push(system);
    sections.push({ kind: 'system', title: 'System prompt', text: system });
  }
  const skills = enabledSkills(agent);
  if (skills.length > 0) parts.push(...(isEmpty ? [] : ['---']), '## Active Skills');
  for (const skill of skills) {
    const text = `### ${skill.name}\n${skill.description}`;
    parts.push(text);
    sections.push({ kind: 'skill', title: skill.name, skillId: skill.id, text });
  }
  return { text: parts.join('\n\n'), sections, warnings };
}

/** Returns the system prompt with the agent's rules and references. */
export function systemText(agent: WithItems & Pick<Agent, 'systemPrompt'>, { isConversation = false } = {}): string {
  const { systemPrompt, rules = [], references = [] } = agent;
  const isIncluded = inSystemPrompt(agent, { isConversation });
  const sections = [
    itemSection('Rules', rules.filter(isIncluded)),
    itemSection('References', references.filter(isIncluded)),
  ].filter((section) => section !== '');
  if (sections.length === 0) return systemPrompt;
  return [systemPrompt.trimEnd(), ...sections].filter((part) => part !== '').join('\n\n');
}

function itemSection(title: string, items: readonly PromptItem[]): string {
  if (items.length === 0) return '';
  return [`## ${title}`, ...byPriority(items).map(({ name, text }) => `### ${name}\n${text.trim()}`)].join('\n\n');
}

export function enabledSkills<S extends RequiringSkill>(agent: { skills: readonly S[] }): S[] {
  return activeSkills(agent.skills);
}

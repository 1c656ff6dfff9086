import type { Agent } from './agent.ts';
import { activeSkills, type RequiringSkill } from './skill-requires.ts';

/** The fields of an agent that its compiled prompt depends on. */
export type Compilable = Pick<Agent, 'id' | 'name' | 'systemPrompt' | 'skills'>;

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
 * Skills". Clients and tests depend on every byte of it. Runs in the browser for the live preview.
 */
export function compilePrompt(agent: Compilable): CompiledPrompt {
  const header = `You are now ${agent.name}. Use agentId=${agent.id} for all agent_zoo tool usage.`;
  const sections: PromptSection[] = [{ kind: 'header', title: 'Identity', text: header }];
  const parts = [header];
  const warnings: string[] = [];
  if (agent.systemPrompt.trim() === '') {
    warnings.push('The system prompt is empty.');
  } else {
    parts.push(agent.systemPrompt);
    sections.push({ kind: 'system', title: 'System prompt', text: agent.systemPrompt });
  }
  const skills = enabledSkills(agent);
  if (skills.length > 0) parts.push('---', '## Active Skills');
  for (const skill of skills) {
    const text = `### ${skill.name}\n${skill.description}`;
    parts.push(text);
    sections.push({ kind: 'skill', title: skill.name, skillId: skill.id, text });
  }
  return { text: parts.join('\n\n'), sections, warnings };
}

export function enabledSkills<S extends RequiringSkill>(agent: { skills: readonly S[] }): S[] {
  return activeSkills(agent.skills);
}

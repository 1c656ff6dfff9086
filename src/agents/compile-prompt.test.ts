import { describe, expect, it } from 'vitest';
import { compilePrompt } from './compile-prompt.ts';

const skill = (id: string, enabled: boolean) => ({
  id,
  name: `Skill ${id}`,
  description: `Do ${id}.`,
  categoryId: null,
  enabled,
});
const wizard = {
  id: 'code-wizard',
  name: 'Code Wizard',
  systemPrompt: 'You are concise.',
  skills: [skill('a', true), skill('b', false), skill('c', true)],
};
const header = 'You are now Code Wizard. Use agentId=code-wizard for all agent_zoo tool usage.';

describe('compilePrompt', () => {
  it('returns exactly the text that the contract specifies', () => {
    expect(compilePrompt(wizard).text).toBe(
      `${header}\n\nYou are concise.\n\n---\n\n## Active Skills\n\n### Skill a\nDo a.\n\n### Skill c\nDo c.`,
    );
  });

  it('omits the skills section and its divider if no skill is enabled', () => {
    expect(compilePrompt({ ...wizard, skills: [skill('b', false)] }).text).toBe(`${header}\n\nYou are concise.`);
  });

  it.each(['', '  \n '])(
    'puts the skills after the header without a divider, and adds a warning, when the system prompt is %j',
    (systemPrompt) => {
      const compiled = compilePrompt({ ...wizard, systemPrompt });
      expect(compiled.text).toBe(`${header}\n\n## Active Skills\n\n### Skill a\nDo a.\n\n### Skill c\nDo c.`);
      expect(compiled.warnings).toEqual(['The system prompt is empty.']);
    },
  );

  it('leaves out the identity line on request', () => {
    const compiled = compilePrompt(wizard, { hasIdentity: false });
    expect(compiled.text).toMatch(/^You are concise\.\n\n---\n\n## Active Skills\n/);
    expect(compiled.sections.map((section) => section.kind)).toEqual(['system', 'skill', 'skill']);
    const skillsOnly = compilePrompt({ ...wizard, systemPrompt: '' }, { hasIdentity: false });
    expect(skillsOnly.text).toMatch(/^## Active Skills\n/);
  });

  it("keeps the author's dollar signs, braces and line endings", () => {
    const systemPrompt = '$& $1 {name}\r\n  indented\n';
    expect(compilePrompt({ ...wizard, systemPrompt, skills: [] }).text).toBe(`${header}\n\n${systemPrompt}`);
  });

  it('names its sections in order', () => {
    expect(compilePrompt(wizard).sections.map((section) => section.kind)).toEqual([
      'header',
      'system',
      'skill',
      'skill',
    ]);
    expect(compilePrompt(wizard).warnings).toEqual([]);
  });
});

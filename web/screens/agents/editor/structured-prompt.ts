import { type Compilable, compilePrompt, enabledSkills } from '../../../../src/agents/compile-prompt.ts';

/** What `agent_zoo_inject` answers with format "structured". */
export function structuredPrompt(agent: Compilable) {
  const { warnings } = compilePrompt(agent);
  return {
    agentId: agent.id,
    agentName: agent.name,
    systemPrompt: agent.systemPrompt,
    skills: enabledSkills(agent).map(({ id, name, description }) => ({ id, name, description })),
    ...(warnings.length > 0 && { warnings }),
  };
}

export interface PromptPiece {
  /** The same for the same place in the prompt. */
  key: string;
  text: string;
  /** Index of the section, or null for what stands between two of them. */
  section: number | null;
}

/** The compiled text cut at its sections; the pieces in a row are the text, byte for byte. */
export function cutIntoPieces(compiled: { text: string; sections: readonly { text: string }[] }): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let at = 0;
  for (const [index, section] of compiled.sections.entries()) {
    const from = compiled.text.indexOf(section.text, at);
    if (from > at) pieces.push({ key: `before ${index}`, text: compiled.text.slice(at, from), section: null });
    pieces.push({ key: `section ${index}`, text: section.text, section: index });
    at = from + section.text.length;
  }
  if (at < compiled.text.length) pieces.push({ key: 'end', text: compiled.text.slice(at), section: null });
  return pieces;
}

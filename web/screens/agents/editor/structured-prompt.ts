import { type Compilable, compilePrompt, enabledSkills, systemText } from '../../../../src/agents/compile-prompt.ts';

/** Returns the result of `agent_zoo_inject` with format "structured". */
export function structuredPrompt(agent: Compilable) {
  const { warnings } = compilePrompt(agent);
  return {
    agentId: agent.id,
    agentName: agent.name,
    systemPrompt: systemText(agent),
    skills: enabledSkills(agent).map(({ id, name, description }) => ({ id, name, description })),
    ...(warnings.length > 0 && { warnings }),
  };
}

export interface PromptPiece {
  /** Stable for the same position in the prompt. */
  key: string;
  text: string;
  /** The index of the section, or null between sections. */
  section: number | null;
}

/** Splits the compiled text at its sections. Joined, the pieces are exactly the text. */
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

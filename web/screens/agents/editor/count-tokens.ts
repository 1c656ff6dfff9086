import { estimateTokenCount } from 'tokenx';
import type { CompiledPrompt, PromptSection } from '../../../../src/agents/compile-prompt.ts';

export interface SectionTokens {
  section: PromptSection;
  tokens: number;
  /** The share of the whole prompt, 0 to 1. */
  share: number;
}

export interface PromptTokens {
  total: number;
  sections: SectionTokens[];
}

/** Returns a counter with a cache, so that typing in one section does not recount the others. */
export function tokenCounter(maxTexts = 1_000): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = estimateTokenCount(text);
      if (known.size >= maxTexts) known.clear();
      known.set(text, tokens);
    }
    return tokens;
  };
}

/** Estimates the tokens of each section. The total includes the separators between them. */
export function countPromptTokens(compiled: CompiledPrompt, count: (text: string) => number): PromptTokens {
  const counted = compiled.sections.map((section) => ({ section, tokens: count(section.text) }));
  const has = (kind: PromptSection['kind']) => compiled.sections.some((section) => section.kind === kind);
  const separator = `${has('system') ? '---\n\n' : ''}## Active Skills`;
  const total = counted.reduce((sum, each) => sum + each.tokens, 0) + (has('skill') ? count(separator) : 0);
  return { total, sections: counted.map((each) => ({ ...each, share: total === 0 ? 0 : each.tokens / total })) };
}

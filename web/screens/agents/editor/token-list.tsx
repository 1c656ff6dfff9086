import { memo } from 'react';
import type { SkillCategory } from '../../../../src/agents/agent.ts';
import type { PromptSection } from '../../../../src/agents/compile-prompt.ts';
import type { SectionTokens } from './count-tokens.ts';
import type { Draft } from './draft.ts';

interface TokenListProps {
  sections: readonly SectionTokens[];
  colors: readonly string[];
  marked: number | null;
  onChoose: (index: number) => void;
}

/** What each section costs, as a bar and as a list that leads to it. */
export const TokenList = memo(function TokenList({ sections, colors, marked, onChoose }: TokenListProps) {
  return (
    <div className="border-line border-b px-4 py-2.5">
      <div aria-hidden className="mb-1.5 flex h-2 gap-px overflow-hidden rounded-full bg-pressed">
        {sections.map(({ section, share }, index) => (
          <span
            key={section.skillId ?? section.kind}
            style={{ width: `${share * 100}%`, backgroundColor: colors[index] }}
            className="min-w-px"
          />
        ))}
      </div>
      <ul aria-label="Tokens of each section" className="-mx-1.5 max-h-33 overflow-y-auto">
        {sections.map(({ section, tokens, share }, index) => (
          <li key={section.skillId ?? section.kind}>
            <button
              type="button"
              onClick={() => onChoose(index)}
              aria-pressed={marked === index}
              className="flex w-full items-center gap-2 rounded-md px-1.5 py-0.5 text-left text-xs outline-offset-[-2px] hover:bg-hover aria-pressed:bg-hover"
            >
              <span aria-hidden style={{ backgroundColor: colors[index] }} className="size-2 shrink-0 rounded-full" />
              <span className="min-w-0 flex-1 truncate text-muted">{section.title}</span>
              <span className="text-faint tabular-nums">{Math.round(share * 100)}%</span>
              <span className="w-12 text-right tabular-nums">{tokens.toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
});

export function sectionColor(
  section: PromptSection,
  skills: Draft['skills'],
  categories: readonly SkillCategory[],
): string {
  if (section.kind === 'header') return 'var(--faint)';
  if (section.kind === 'system') return 'var(--accent)';
  const categoryId = skills.find((skill) => skill.id === section.skillId)?.categoryId;
  return categories.find((category) => category.id === categoryId)?.color ?? 'var(--violet)';
}

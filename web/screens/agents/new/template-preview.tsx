import { useId } from 'react';
import type { AgentTemplateBody } from '../../../../src/agents/agents.contract.ts';

/** What a template brings: its prompt and its skills in their categories. */
export function TemplatePreview({ template }: { template: AgentTemplateBody }) {
  const id = useId();
  const { systemPrompt = '', skills = [], skillCategories = [] } = template.agent;
  const colors = new Map(skillCategories.map((category) => [category.id, category]));
  return (
    <div className="flex flex-col gap-5">
      {skills.length > 0 && (
        <section aria-labelledby={`${id}-skills`}>
          <h3 id={`${id}-skills`} className="mb-2 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
            {skills.length} skills
          </h3>
          <ul className="flex flex-wrap gap-1.5">
            {skills.map((skill) => {
              const category = skill.categoryId ? colors.get(skill.categoryId) : undefined;
              return (
                <li
                  key={skill.id}
                  title={category?.name}
                  className="inline-flex items-center gap-1.5 rounded-full border border-line bg-raised px-2.5 py-0.5 text-xs"
                >
                  <span
                    aria-hidden
                    className="size-2 rounded-full bg-line-strong"
                    style={category && { backgroundColor: category.color }}
                  />
                  {skill.name}
                </li>
              );
            })}
          </ul>
        </section>
      )}
      <section aria-labelledby={`${id}-prompt`}>
        <h3 id={`${id}-prompt`} className="mb-2 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
          System prompt
        </h3>
        <p className="whitespace-pre-wrap break-words rounded-xl border border-line bg-sunken/60 p-3.5 text-[0.8125rem] text-muted leading-5.5">
          {systemPrompt}
        </p>
      </section>
    </div>
  );
}

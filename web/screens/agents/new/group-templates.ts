import type { AgentTemplateBody } from '../../../../src/agents/agents.contract.ts';

export interface TemplateGroup {
  category: string;
  templates: AgentTemplateBody[];
}

/** By category, both in the order in which the hub names them. */
export function groupTemplates(templates: readonly AgentTemplateBody[]): TemplateGroup[] {
  const groups = Map.groupBy(templates, (template) => template.category);
  return [...groups].map(([category, members]) => ({ category, templates: members }));
}

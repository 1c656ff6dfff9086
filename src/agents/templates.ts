import type { AgentInput } from './agent.ts';

/** A starter agent that a person can adopt and then change. */
export interface AgentTemplate {
  id: string;
  name: string;
  description: string;
  category: string;
  agent: AgentInput;
}

export const agentTemplates: readonly AgentTemplate[] = [];

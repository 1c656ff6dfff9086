import type { DecisionEntry } from '../../src/tools/decision-log.ts';

export function decision(callId: string, fields: Partial<DecisionEntry> = {}): DecisionEntry {
  return {
    callId,
    kind: 'invocation',
    at: 1_794_000_000_000,
    surface: 'http',
    agentId: null,
    persona: null,
    taskId: null,
    tool: 'agent_zoo_inject',
    decision: 'Invoked tool: agent_zoo_inject',
    reasoning: 'Automatic tool invocation log',
    context: '{}',
    ...fields,
  };
}

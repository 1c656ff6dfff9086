import type { DecisionKind } from '../../../src/tools/decision-log.ts';

export type { DecisionKind };

export const decisionKindNames: Record<DecisionKind, string> = {
  invocation: 'Call',
  result: 'Result',
  error: 'Error',
  manual: 'Note',
  act: 'Change',
};

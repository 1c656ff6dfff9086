import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  automaticDecision,
  automaticWords,
  type DecisionEntry,
  decisionKinds,
  isWorded,
} from '../tools/decision-log.ts';
import { packEntry, unpackEntries } from './decision-group.ts';

const word = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('agent_zoo_inject', 'a "b" \\ \n', ''),
);
const name = fc.option(word, { nil: null });
const entries = fc.record<DecisionEntry>({
  callId: word,
  kind: fc.constantFrom(...decisionKinds),
  at: fc.nat(),
  surface: word,
  agentId: name,
  persona: name,
  taskId: name,
  tool: word,
  decision: word,
  reasoning: word,
  context: fc.jsonValue().map((value) => JSON.stringify(value)),
});

it('an entry is two lines, the first of them JSON, and is read back unchanged', () => {
  fc.assert(
    fc.property(entries, fc.boolean(), name, (entry, isAutomatic, client) => {
      const { kind, tool } = entry;
      const words = isAutomatic && !isWorded(kind) ? kind : undefined;
      const given = words
        ? {
            ...entry,
            ...(client !== null && { client }),
            decision: automaticDecision(words, tool),
            reasoning: automaticWords[words].reasoning,
          }
        : entry;
      const text = packEntry(given);
      const lines = text.split('\n');
      expect([lines.length, lines[2]]).toEqual([3, '']);
      const head = JSON.parse(lines[0] ?? '');
      expect(lines[0]).toBe(JSON.stringify(head));
      expect(head.length).toBe(words ? (client === null ? 8 : 9) : 10);
      expect(unpackEntries(text)).toEqual([given]);
    }),
  );
});

it('the code of each kind stays as it is, because existing logs have it', () => {
  const codes = decisionKinds.flatMap((kind) =>
    ['{}', '{\n}'].map((context) => {
      const entry = { callId: 'c', kind, at: 1, surface: 's', agentId: null, persona: null, taskId: null, tool: 't' };
      const head = JSON.parse(packEntry({ ...entry, decision: 'd', reasoning: 'r', context }).split('\n')[0] ?? '');
      return [kind, head[1]];
    }),
  );
  expect(codes).toEqual([
    ['invocation', 0],
    ['invocation', 4],
    ['result', 1],
    ['result', 5],
    ['error', 2],
    ['error', 6],
    ['manual', 3],
    ['manual', 7],
    ['act', 8],
    ['act', 9],
  ]);
});

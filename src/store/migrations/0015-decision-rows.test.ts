import fc from 'fast-check';
import { expect, it } from 'vitest';
import { automaticDecision, automaticWords, type DecisionEntry, decisionKinds } from '../../tools/decision-log.ts';
import { packEntry } from '../decisions-chain.ts';
import { toEntry } from '../decisions-rows.ts';
import { toRows } from './0015-decision-rows.ts';

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

/** As the pipeline writes it, with words of its own. */
function automatic(entry: DecisionEntry): DecisionEntry {
  const { kind, tool } = entry;
  if (kind === 'manual') return entry;
  return { ...entry, decision: automaticDecision(kind, tool), reasoning: automaticWords[kind].reasoning };
}

it('a group becomes rows of the same entries, which give the text again that its hash covers', () => {
  fc.assert(
    fc.property(fc.array(entries, { minLength: 1, maxLength: 5 }), fc.array(fc.boolean()), (drawn, automatics) => {
      const given = drawn.map((entry, index) => (automatics[index] ? automatic(entry) : entry));
      const text = given.map(packEntry).join('');
      const times = given.map(({ at }) => at);
      const [first_at, last_at] = [Math.min(...times), Math.max(...times)];
      const group = {
        seq: 1,
        chain: 'c',
        first_no: 7,
        row_count: given.length,
        first_at,
        last_at,
        hash: 'h',
        entries: text,
      };
      const rows = toRows(group).map((row, seq) => ({ seq, ...row }));
      expect(rows.map(toEntry)).toEqual(given);
      expect(rows.map((row) => packEntry(toEntry(row))).join('')).toBe(text);
      expect(rows.map(({ no }) => no)).toEqual(given.map((_, index) => 7 + index));
      expect(rows.map(({ hash }) => hash)).toEqual(given.map((_, index) => (index === given.length - 1 ? 'h' : null)));
    }),
  );
});

it.each(['[not one\n', '[1]\n{}\n', '{}\n{}\n', '["call"]', '[null,0,1,"",null,null,null,""]\n{}\n'])(
  'a text that nobody can read, %j, is kept as it is and never fits its hash',
  (text) => {
    const [row, ...more] = toRows({
      seq: 1,
      chain: 'c',
      first_no: 7,
      row_count: 3,
      first_at: 5,
      last_at: 6,
      hash: 'h',
      entries: text,
    });
    expect(more).toEqual([]);
    expect(row).toMatchObject({ chain: 'c', no: 9, hash: 'was changed h', context: JSON.stringify(text) });
  },
);

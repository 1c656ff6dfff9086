import { describe, expect, it } from 'vitest';
import { Agent } from '../../../../src/agents/agent.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { isDirty, reduceDraft, startDraft } from './draft.ts';
import { readKept, restoreDraft, toKept } from './kept-draft.ts';

const agent = (change: Partial<AgentDetail> = {}): AgentDetail => ({
  ...Agent.parse({ id: 'writer', name: 'Writer', systemPrompt: 'Write.', source: 'store' }),
  place: 'the store',
  editable: true,
  revision: 3,
  createdAt: null,
  updatedAt: null,
  ...change,
});

/** The changes of a draft after a reload. */
function kept(change: Partial<AgentDetail>) {
  const state = reduceDraft(startDraft(agent()), { type: 'edited', edit: (draft) => ({ ...draft, ...change }) });
  const read = readKept(JSON.parse(JSON.stringify(toKept(state, []))));
  if (!read) throw new Error('The draft is not readable.');
  return read;
}

describe('a kept draft', () => {
  it('has only the changed fields, and restores them', () => {
    const changes = kept({ systemPrompt: 'Write well.' });
    expect(changes.fields).toEqual({ systemPrompt: 'Write well.' });
    const state = restoreDraft(agent(), changes);
    expect(state.draft.systemPrompt).toBe('Write well.');
    expect([isDirty(state), state.newer, state.saved.revision]).toEqual([true, null, 3]);
  });

  it('is no conflict when another field was saved meanwhile: both changes stay', () => {
    const state = restoreDraft(agent({ revision: 4, description: 'By a colleague' }), kept({ systemPrompt: 'Mine.' }));
    expect([state.draft.systemPrompt, state.draft.description]).toEqual(['Mine.', 'By a colleague']);
    expect([state.newer, state.saved.revision]).toEqual([null, 4]);
  });

  it('asks before it overwrites a field that was saved meanwhile', () => {
    const newest = agent({ revision: 4, systemPrompt: 'Theirs.' });
    const state = restoreDraft(newest, kept({ systemPrompt: 'Mine.' }));
    expect(state.draft.systemPrompt).toBe('Mine.');
    expect(state.newer).toBe(newest);
    expect([state.saved.systemPrompt, state.saved.revision]).toEqual(['Write.', 3]);
  });

  it('is gone when someone saved the same text', () => {
    const state = restoreDraft(agent({ revision: 4, systemPrompt: 'Mine.' }), kept({ systemPrompt: 'Mine.' }));
    expect(isDirty(state)).toBe(false);
  });

  it('keeps an emptied number field', () => {
    expect(restoreDraft(agent(), kept({ contextBudget: Number.NaN })).draft.contextBudget).toBeNaN();
  });

  it('leaves out fields that no longer exist', () => {
    const state = restoreDraft(agent(), { ...kept({ name: 'New name' }), fields: { name: 'New name', ...{ old: 1 } } });
    expect(state.draft).not.toHaveProperty('old');
  });

  it.each([null, 'x', {}, { fields: {}, before: {}, revision: 1 }])('is not made from %j', (value) => {
    expect(readKept(value)).toBeUndefined();
  });
});

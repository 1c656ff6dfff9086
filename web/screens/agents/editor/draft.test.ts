import { describe, expect, it } from 'vitest';
import { Agent } from '../../../../src/agents/agent.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { changedFields, type DraftState, isDirty, reduceDraft, startDraft, toDraft } from './draft.ts';

function agent(revision: number | null, fields: Partial<Agent> = {}): AgentDetail {
  const parsed = Agent.parse({ id: 'otter', name: 'Otter', systemPrompt: 'Swim.', source: 'store', ...fields });
  const at = '2026-11-15T10:00:00.000Z';
  return { ...parsed, place: 'the store', editable: true, revision, createdAt: at, updatedAt: at };
}

const edited = (state: DraftState, systemPrompt: string) =>
  reduceDraft(state, { type: 'edited', edit: (draft) => ({ ...draft, systemPrompt }) });

describe('the draft', () => {
  it('is clean at first, dirty after an edit, and clean again after reverting it', () => {
    const start = startDraft(agent(1));
    const dirty = edited(start, 'Dive.');
    expect([isDirty(start), isDirty(dirty), isDirty(edited(dirty, 'Swim.'))]).toEqual([false, true, false]);
  });

  it('names the fields that changed', () => {
    const { draft } = startDraft(agent(1));
    expect(changedFields(draft, { ...draft, version: '2', tools: ['a'] })).toEqual(['version', 'tools']);
  });

  it('is clean after a save', () => {
    const dirty = edited(startDraft(agent(1)), 'Dive.');
    const after = reduceDraft(dirty, { type: 'saved', agent: agent(2, { systemPrompt: 'Dive.' }), sent: dirty.draft });
    expect(isDirty(after)).toBe(false);
    expect(after.saved.revision).toBe(2);
  });

  it('keeps edits made during a save', () => {
    const sent = edited(startDraft(agent(1)), 'Dive.');
    const typing = edited(sent, 'Dive deep.');
    const after = reduceDraft(typing, { type: 'saved', agent: agent(2, { systemPrompt: 'Dive.' }), sent: sent.draft });
    expect(after.draft.systemPrompt).toBe('Dive deep.');
    expect(isDirty(after)).toBe(true);
  });

  it('loads a version from elsewhere when it is clean', () => {
    const start = startDraft(agent(1));
    const after = reduceDraft(start, { type: 'arrived', agent: agent(2, { systemPrompt: 'Theirs.' }) });
    expect(after.draft.systemPrompt).toBe('Theirs.');
    expect(after.loads).toBe(1);
  });

  it('keeps its changes beside a version from elsewhere', () => {
    const dirty = edited(startDraft(agent(1)), 'Mine.');
    const after = reduceDraft(dirty, { type: 'arrived', agent: agent(2, { systemPrompt: 'Theirs.' }) });
    expect(after.draft.systemPrompt).toBe('Mine.');
    expect(after.newer?.revision).toBe(2);
    expect(after.saved.revision).toBe(1);
  });

  it('ignores an older version that arrives late', () => {
    const start = startDraft(agent(3));
    expect(reduceDraft(start, { type: 'arrived', agent: agent(2, { name: 'Old' }) })).toBe(start);
  });

  it('is clean when the version from elsewhere is identical', () => {
    const dirty = edited(startDraft(agent(1)), 'Same.');
    const after = reduceDraft(dirty, { type: 'arrived', agent: agent(2, { systemPrompt: 'Same.' }) });
    expect([isDirty(after), after.newer]).toEqual([false, null]);
  });

  it('ignores a new version without changes', () => {
    const dirty = edited(startDraft(agent(1)), 'Mine.');
    const after = reduceDraft(dirty, { type: 'arrived', agent: agent(3) });
    expect([after.saved.revision, after.newer, after.draft.systemPrompt]).toEqual([3, null, 'Mine.']);
  });

  it('follows a file, which has no revision', () => {
    const start = startDraft(agent(null, { source: 'toml' }));
    const after = reduceDraft(start, { type: 'arrived', agent: agent(null, { source: 'toml', name: 'Seal' }) });
    expect(after.draft.name).toBe('Seal');
  });

  it('is based on the version that it was merged with, and text editors load the merged text', () => {
    const dirty = edited(startDraft(agent(1)), 'Mine.');
    const theirs = agent(2, { name: 'Seal' });
    const merged = { ...toDraft(theirs), systemPrompt: 'Mine.' };
    const after = reduceDraft(dirty, { type: 'merged', agent: theirs, draft: merged });
    expect([after.saved.revision, after.draft, isDirty(after), after.loads]).toEqual([2, merged, true, 1]);
  });

  it('returns to the newest known version when discarded', () => {
    const dirty = edited(startDraft(agent(1)), 'Mine.');
    const arrived = reduceDraft(dirty, { type: 'arrived', agent: agent(2, { systemPrompt: 'Theirs.' }) });
    expect(reduceDraft(arrived, { type: 'discarded' }).draft.systemPrompt).toBe('Theirs.');
    expect(reduceDraft(dirty, { type: 'discarded' }).draft).toEqual(toDraft(agent(1)));
  });

  it('clears the hub’s issues on the next edit', () => {
    const refused = reduceDraft(startDraft(agent(1)), { type: 'refused', issues: [{ path: 'name', message: 'No.' }] });
    expect(refused.hubIssues).toHaveLength(1);
    expect(edited(refused, 'x').hubIssues).toEqual([]);
  });
});

it('reordering parameters is a change, reordering keywords is not', () => {
  const text = { type: 'string' as const };
  const state = startDraft(
    agent(1, {
      exposes: [
        { name: 'a', description: '', prompt: '', parameters: { type: 'object', properties: { a: text, b: text } } },
      ],
    }),
  );
  const withParameters = (parameters: object) =>
    isDirty(
      reduceDraft(state, {
        type: 'edited',
        edit: (draft) => ({ ...draft, exposes: draft.exposes.map((tool) => ({ ...tool, ...parameters })) }),
      }),
    );
  expect(withParameters({ parameters: { properties: { a: text, b: text }, type: 'object' } })).toBe(false);
  expect(withParameters({ parameters: { type: 'object', properties: { b: text, a: text } } })).toBe(true);
});

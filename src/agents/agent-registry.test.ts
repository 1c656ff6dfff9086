import { beforeEach, describe, expect, it } from 'vitest';
import { HubError } from '../base/hub-error.ts';
import type { SourceSnapshot } from '../base/source.ts';
import { AgentRegistry, type AgentsChange } from './agent-registry.ts';
import type { AgentEntry, AgentSource } from './agent-source.ts';
import { defineAgent } from './define-agent.ts';

const context = { signal: new AbortController().signal };

function entryIn(definedIn: string, id: string, systemPrompt = `I am ${id}.`): AgentEntry {
  return { ...defineAgent({ name: id, systemPrompt }), definedIn };
}

function sourceOf(
  snapshot: SourceSnapshot<AgentEntry>,
): AgentSource & { current: SourceSnapshot<AgentEntry>; notify(): void } {
  let listener = () => {};
  return {
    kind: 'toml',
    current: snapshot,
    snapshot() {
      return this.current;
    },
    watch(onChange) {
      listener = onChange;
      return () => {};
    },
    notify: () => listener(),
  };
}

describe('the registry', () => {
  let file: ReturnType<typeof sourceOf>;
  let registry: AgentRegistry;
  let changes: AgentsChange[];

  beforeEach(async () => {
    file = sourceOf({ entries: [entryIn('a.toml', 'one'), entryIn('a.toml', 'two')], problems: [] });
    registry = new AgentRegistry([file]);
    await registry.refresh();
    changes = [];
    registry.changes.on((change) => changes.push(change));
  });

  it('lists and finds agents of every source', () => {
    registry.register(defineAgent({ name: 'three' }));
    expect(registry.list().map((agent) => agent.id)).toEqual(['one', 'two', 'three']);
    expect(registry.size).toBe(3);
    expect(registry.find('two')?.name).toBe('two');
    expect(registry.find('nobody')).toBeUndefined();
  });

  it('reports two agents with the same id and both locations, and keeps the first', async () => {
    const other = new AgentRegistry([file, sourceOf({ entries: [entryIn('b.toml', 'one', 'other')], problems: [] })]);
    await other.refresh();
    expect(other.problems()[0]?.message).toMatch(/Two agents have the id "one": one from a\.toml, one from b\.toml/);
    expect(other.find('one')?.systemPrompt).toBe('I am one.');
  });

  it('explains a missing agent by the problem in its file', async () => {
    file.current = { entries: [], problems: [{ agentId: 'one', place: 'a.toml', message: 'a.toml:2: one.tools: no' }] };
    await expect(registry.get('one')).rejects.toThrow("Agent with ID 'one' could not be read: a.toml:2: one.tools: no");
  });

  it('keeps the result of a later refresh when an earlier one ends last', async () => {
    const snapshots: ((snapshot: SourceSnapshot<AgentEntry>) => void)[] = [];
    const slow: AgentSource = {
      kind: 'toml',
      snapshot: () => new Promise((resolve) => snapshots.push(resolve)),
    };
    const slowRegistry = new AgentRegistry([slow]);
    const [earlier, later] = [slowRegistry.refresh(), slowRegistry.refresh()];
    snapshots[1]?.({ entries: [entryIn('a.toml', 'new')], problems: [] });
    await later;
    snapshots[0]?.({ entries: [entryIn('a.toml', 'old')], problems: [] });
    await earlier;
    expect(slowRegistry.list().map((agent) => agent.id)).toEqual(['new']);
  });

  it('rejects an id that is already registered', () => {
    expect(() => registry.register(defineAgent({ name: 'one' }))).toThrow(/a\.toml.*code/);
  });

  it('reports exactly the agents that changed', async () => {
    await registry.refresh();
    expect(changes).toEqual([]);
    const [one] = file.current.entries;
    file.current = { entries: [...(one ? [one] : []), entryIn('a.toml', 'new')], problems: [] };
    file.notify();
    await registry.refresh();
    expect(changes).toEqual([{ changed: ['new'], removed: ['two'] }]);
  });

  it('lists the available agents if one is not found', async () => {
    await expect(registry.get('nobody')).rejects.toThrow("Agent with ID 'nobody' not found. Available: one, two.");
  });
});

describe('resolving', () => {
  const registry = new AgentRegistry();
  registry.register(
    defineAgent({
      name: 'greeter',
      systemPrompt: 'Greet {person} like {undeclared}.',
      skills: [{ id: 's', name: 'S', description: 'Ask {person} twice.' }],
      arguments: [{ name: 'person', description: 'Whom', required: true }],
      tools: ['search'],
    }),
  );
  registry.register(
    defineAgent({
      name: 'coded',
      arguments: [{ name: 'n' }],
      resolve: (args) => ({ system: `n=${args.n ?? 'none'}`, messages: [{ role: 'assistant', content: 'Ready.' }] }),
    }),
  );
  registry.register(defineAgent({ name: 'broken', resolve: () => Promise.reject(new Error('boom at line 3')) }));

  it('fills declared arguments, once, and leaves other braces alone', async () => {
    const prompt = await registry.resolve('greeter', { person: '{person} $&' }, context);
    expect(prompt.system).toContain('Greet {person} $& like {undeclared}.');
    expect(prompt.system).toContain('Ask {person} $& twice.');
    expect(prompt.tools).toEqual(['search']);
  });

  it('names a missing required argument before anything runs', async () => {
    await expect(registry.resolve('greeter', {}, context)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('"person"'),
    });
  });

  it('lets code build the prompt', async () => {
    expect(await registry.resolve('coded', { n: '7' }, context)).toEqual({
      system: 'n=7',
      tools: [],
      messages: [{ role: 'assistant', content: 'Ready.' }],
    });
  });

  it('turns a failure in code into an agent error without its details', async () => {
    const error = await registry.resolve('broken', {}, context).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HubError);
    expect(error).toMatchObject({ code: 'AGENT_ERROR' });
    expect(String(error)).not.toContain('boom');
  });
});

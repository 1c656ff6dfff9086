import { describe, expect, it } from 'vitest';
import { call, finish, say, scriptedModel } from '../../test/support/scripted-model.ts';
import { ContextObjectModel } from './context-object-model.ts';
import { executeTicks } from './run-ticks.ts';

describe('a run', () => {
  it('carries out what the model asks for and gives it the results', async () => {
    const com = new ContextObjectModel();
    com.addTool({ metadata: { name: 'add', description: '', inputSchema: {} }, run: (input) => JSON.stringify(input) });
    const model = scriptedModel([
      [say('a'), call('1', 'add', { a: 1 }), finish('tool-calls')],
      [say('b'), finish()],
    ]);
    const result = await executeTicks({ model, com }, { input: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'b', ticks: 2 });
  });
});

import { describe, expect, it } from 'vitest';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { ContextObjectModel } from './context-object-model.ts';

const { tool } = countedTools();

describe('a context', () => {
  it('shows the model its tools and messages', () => {
    const com = new ContextObjectModel({ system: 'Be brief.' });
    const providerOptions = { openai: { strict: true } };
    const read = tool('read', undefined, { providerOptions, requiresConfirmation: true, serverName: 'files' });
    com.addTool(read);
    com.addMessage({ role: 'user', content: 'Hello' });
    com.addMessage({ role: 'system', content: 'Be kind.' });
    const message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
    expect(com.toInput()).toEqual({
      system: 'Be brief.\n\nBe kind.',
      timeline: [{ kind: 'message', message }],
      tools: [{ name: 'read', description: 'Does read.', inputSchema: { type: 'object' }, providerOptions }],
    });
    expect(com.tools.get('read')).toBe(read);
    expect(com.toolDefinitions.get('read')?.name).toBe('read');
    expect(com.getTools()).toEqual([read]);
  });

  it('passes on the schema of a tool unchanged', () => {
    const com = new ContextObjectModel();
    const inputSchema = { type: 'object', 'x-foreign': 1 };
    com.addTool(tool('read', undefined, { inputSchema }));
    expect(com.toInput().tools[0]?.inputSchema).toBe(inputSchema);
  });

  it('refuses a second tool of the same name and names the origin of both', () => {
    const com = new ContextObjectModel();
    const first = tool('read', undefined, { serverName: 'files' });
    com.addTool(first);
    expect(() => com.addTool(tool('read'))).toThrow(
      expect.objectContaining({
        code: 'CONFLICT',
        message: expect.stringContaining('Two tools are called "read": one from server files, one from code.'),
      }),
    );
    com.addTool(first);
    expect(com.getTools()).toEqual([first]);
  });

  it('no longer has a tool after it was removed', () => {
    const com = new ContextObjectModel();
    com.addTool(tool('read'));
    expect(com.toInput().tools).toHaveLength(1);
    expect(com.removeTool('read')).toBe(true);
    expect(com.removeTool('read')).toBe(false);
    expect(com.getTool('read')).toBeUndefined();
    expect(com.toInput().tools).toEqual([]);
  });

  it('does not change when the caller changes its message later', () => {
    const com = new ContextObjectModel();
    const content = [{ type: 'text', text: 'one' } as const];
    com.addMessage({ role: 'user', content });
    content.push({ type: 'text', text: 'two' } as never);
    expect(com.messages[0]?.content).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { Message } from '../engine/message.ts';
import { conversationOf } from './run-conversation.ts';

const messages: Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Look it up' }] },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Two searches will do' },
      { type: 'text', text: ' ' },
      { type: 'tool_use', id: 'a', name: 'search', input: { query: 'x' } },
      { type: 'tool_use', id: 'b', name: 'get', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool_result', toolUseId: 'b', name: 'get', content: [{ type: 'text', text: 'no' }], isError: true },
      { type: 'tool_result', toolUseId: 'a', name: 'search', content: [{ type: 'text', text: 'yes' }], isError: false },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Found' },
      { type: 'tool_use', id: 'c', name: 'write', input: {} },
    ],
  },
];

describe('a conversation', () => {
  it('has each call with its result, and no empty texts', () => {
    const turns = conversationOf({
      messages,
      calls: [{ id: 'c', tool: 'write', state: 'running' }],
      status: 'running',
    });
    expect(
      turns.map((turn) => (turn.kind === 'call' ? [turn.tool, turn.state, turn.result?.isError] : turn.kind)),
    ).toEqual([
      'said',
      'thought',
      ['search', 'finished', false],
      ['get', 'failed', true],
      'said',
      ['write', 'running', undefined],
    ]);
  });

  it('has the result of each call even if the provider used its id again', () => {
    const ask = {
      role: 'assistant' as const,
      content: [{ type: 'tool_use' as const, id: 'a', name: 'get', input: {} }],
    };
    const reply = (isError: boolean): Message => ({
      role: 'tool',
      content: [{ type: 'tool_result', toolUseId: 'a', name: 'get', content: [], isError }],
    });
    const turns = conversationOf({ messages: [ask, reply(true), ask, reply(false)], calls: [], status: 'completed' });
    expect(turns.map((turn) => turn.kind === 'call' && turn.state)).toEqual(['failed', 'finished']);
  });

  it('shows a call that a crash left open even if the provider had used its id before', () => {
    const call = { type: 'tool_use' as const, id: 'a', name: 'get', input: {} };
    const result = { type: 'tool_result' as const, toolUseId: 'a', name: 'get', content: [], isError: false };
    const before: Message[] = [
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [result] },
    ];
    const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };
    const calls = [{ id: 'a', tool: 'deploy', state: 'running' as const }];
    for (const messages of [before, [...before, answer]]) {
      const turns = conversationOf({ messages, calls, status: 'interrupted' });
      expect(turns.flatMap((turn) => (turn.kind === 'call' ? [[turn.tool, turn.state]] : []))).toEqual([
        ['get', 'finished'],
        ['deploy', 'running'],
      ]);
    }
  });

  it('shows calls that a crash left open, even if no message contains them', () => {
    const calls = [
      { id: 'x', tool: 'deploy', state: 'running' as const },
      { id: 'y', tool: 'mail', state: 'waiting' as const },
    ];
    const open = (status: 'interrupted' | 'completed') =>
      conversationOf({ messages: [], calls, status }).map((turn) => turn.kind === 'call' && [turn.tool, turn.state]);
    expect(open('interrupted')).toEqual([
      ['deploy', 'running'],
      ['mail', 'waiting'],
    ]);
    expect(open('completed')).toEqual([]);
  });
});

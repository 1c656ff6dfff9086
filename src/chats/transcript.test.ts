import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatEventBody } from './chat.ts';
import { addEvent, emptyTranscript, type Transcript, versionsOf } from './transcript.ts';

const usage = { inputTokens: 3, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

type Move = {
  kind: 'delta' | 'retry' | 'call' | 'tick' | 'end' | 'send' | 'rewind' | 'choose' | 'deny' | 'cut';
  pick: number;
};
const moves = fc.array(
  fc.record({
    kind: fc.constantFrom<Move['kind']>(
      'delta',
      'delta',
      'delta',
      'retry',
      'call',
      'tick',
      'end',
      'send',
      'send',
      'rewind',
      'choose',
      'deny',
      'cut',
    ),
    pick: fc.nat(1_000),
  }),
  { maxLength: 120 },
);

/** Returns events in an order that an engine could emit and, for each, what a page shows then, computed in another way. */
function play(script: readonly Move[]): { events: ChatEvent[]; shown: string[] } {
  const events: ChatEvent[] = [];
  const shown: string[] = [];
  let turns: { id: string; lines: string[]; tick: string[] }[] = [];
  /** Every branch that was ever active, by its last message. */
  const branches = new Map<string, typeof turns>();
  let runId: string | undefined;
  let sent = 0;
  let calls = 0;
  const emit = (event: ChatEventBody) => {
    events.push({ seq: events.length + 1, at: events.length, ...event });
    shown.push(JSON.stringify(turns.map(({ id, lines, tick }) => [id, ...join([...lines, ...tick])])));
  };
  for (const { kind, pick } of script) {
    const turn = turns.at(-1);
    if (runId === undefined || !turn) {
      if (kind === 'rewind' && turns.length > 0) {
        const target = turns[pick % turns.length];
        if (!target) continue;
        turns.splice(turns.indexOf(target));
        emit({ type: 'rewound', messageId: target.id });
      }
      if (kind === 'choose' && branches.size > 0) {
        const [id, branch] = [...branches][pick % branches.size] ?? [];
        if (id === undefined || !branch) continue;
        turns = [...branch];
        emit({ type: 'branch.chosen', messageId: id });
      }
      if (kind !== 'send' && kind !== 'rewind') continue;
      sent += 1;
      turns.push({ id: `m${sent}`, lines: [], tick: [] });
      branches.set(`m${sent}`, [...turns]);
      emit({ type: 'message.sent', messageId: `m${sent}`, text: `text ${sent}` });
      runId = `r${sent}`;
      emit({ type: 'answer.started', runId, messageId: `m${sent}`, agentId: 'a', model: 'm' });
      emit({ type: 'tick.started', runId, tick: 1 });
    } else if (kind === 'delta') {
      const type = pick % 3 === 0 ? 'reasoning' : 'text';
      turn.tick.push(`${type}:${pick}`);
      emit({ type, runId, delta: String(pick) });
    } else if (kind === 'retry') {
      turn.tick = [];
      emit({ type: 'tick.retried', runId, tick: 1, reason: 'cut' });
    } else if (kind === 'call' || kind === 'deny') {
      calls += 1;
      const id = `c${calls}`;
      const index = turn.tick.push(`call ${id} running`) - 1;
      emit({ type: 'tool.called', runId, id, tool: 't', input: {} });
      turn.tick[index] = `call ${id} waiting`;
      emit({ type: 'approval.needed', runId, id, tool: 't', input: {} });
      turn.tick[index] = `call ${id} ${kind === 'deny' ? 'denied' : 'running'}`;
      emit({ type: 'approval.given', runId, id, answer: kind === 'deny' ? 'deny' : 'always' });
      const isError = kind === 'deny' || pick % 2 === 0;
      turn.tick[index] = `call ${id} ${kind === 'deny' ? 'denied' : isError ? 'failed' : 'finished'}`;
      emit({ type: 'tool.finished', runId, id, tool: 't', content: [], isError, durationMs: 1 });
      turn.lines.push(...join(turn.tick));
      turn.tick = [];
      emit({ type: 'tick.started', runId, tick: 2 });
    } else if (kind === 'tick') {
      emit({ type: 'tick.finished', runId, tick: 1, usage, cost: null });
    } else if (kind === 'cut') {
      calls += 1;
      const index = turn.tick.push(`call c${calls} running`) - 1;
      emit({ type: 'tool.called', runId, id: `c${calls}`, tool: 't', input: {} });
      turn.tick[index] = `call c${calls} failed`;
      emit({ type: 'answer.finished', runId, status: 'interrupted', reason: '', usage, cost: null, error: null });
      runId = undefined;
    } else if (kind === 'end') {
      emit({ type: 'answer.finished', runId, status: 'completed', reason: '', usage, cost: 1, error: null });
      runId = undefined;
    }
  }
  return { events, shown };
}

/** Joins adjacent parts of the same kind within a tick. */
function join(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const type = /^(text|reasoning):/.exec(line)?.[1];
    const last = joined.at(-1);
    if (type && last?.startsWith(`${type}:`)) joined[joined.length - 1] = last + line.slice(type.length + 1);
    else joined.push(line);
  }
  return joined;
}

function view({ turns }: Transcript): string {
  return JSON.stringify(
    turns.map(({ messageId, answers }) => [
      messageId,
      ...answers.flatMap(({ parts }) =>
        parts.map((part) => (part.type === 'call' ? `call ${part.id} ${part.state}` : `${part.type}:${part.text}`)),
      ),
    ]),
  );
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) freeze(each);
  }
  return value;
}

describe('versions', () => {
  const sent = (seq: number, messageId: string, text: string): ChatEvent => ({
    seq,
    at: 0,
    type: 'message.sent',
    messageId,
    text,
  });
  const rewound = (seq: number, messageId: string): ChatEvent => ({ seq, at: 0, type: 'rewound', messageId });
  const read = (events: readonly ChatEvent[]) => events.reduce(addEvent, emptyTranscript());

  it('tell the versions of a message from those of its answer', () => {
    const events = [
      sent(1, 'a', 'Hi'),
      rewound(2, 'a'),
      sent(3, 'b', 'Hello'),
      rewound(4, 'b'),
      sent(5, 'c', 'Hello'),
      sent(6, 'd', 'More'),
    ];
    const versions = (transcript: Transcript) => transcript.turns.map((turn) => versionsOf(transcript, turn));
    expect(versions(read(events))).toEqual([
      { message: { ids: ['a', 'c'], index: 1 }, answer: { ids: ['b', 'c'], index: 1 } },
      { message: { ids: ['d'], index: 0 }, answer: { ids: ['d'], index: 0 } },
    ]);
    const back: ChatEvent = { seq: 7, at: 0, type: 'branch.chosen', messageId: 'b' };
    expect(versions(read([...events, back]))).toEqual([
      { message: { ids: ['a', 'b'], index: 1 }, answer: { ids: ['b', 'c'], index: 0 } },
    ]);
  });

  it('an event of an answer reaches it on any branch', () => {
    const answer = { runId: 'r', messageId: 'a', agentId: 'x', model: 'm' };
    const transcript = read([
      sent(1, 'a', 'Hi'),
      { seq: 2, at: 0, type: 'answer.started', ...answer },
      rewound(3, 'a'),
      sent(4, 'b', 'Hello'),
      { seq: 5, at: 0, type: 'text', runId: 'r', delta: 'Late' },
    ]);
    expect(transcript.aside.get('a')?.answers[0]?.parts).toEqual([{ type: 'text', text: 'Late' }]);
    expect(transcript.turns).toMatchObject([{ messageId: 'b', answers: [] }]);
  });
});

describe('a transcript', () => {
  it('matches the page after every event, and never changes earlier values', () => {
    fc.assert(
      fc.property(moves, (script) => {
        const { events, shown } = play(script);
        let transcript = emptyTranscript();
        for (const [index, event] of events.entries()) {
          transcript = addEvent(freeze(transcript), freeze(event));
          expect(view(transcript)).toBe(shown[index]);
          expect(transcript.lastSeq).toBe(index + 1);
        }
      }),
    );
  });

  it('skips known events, so that a page can reread from any position', () => {
    fc.assert(
      fc.property(moves, fc.nat(200), fc.nat(200), (script, first, second) => {
        const { events } = play(script);
        const whole = events.reduce(addEvent, emptyTranscript());
        const cut = Math.min(first, events.length);
        const again = Math.min(second, cut);
        const before = events.slice(0, cut).reduce(addEvent, emptyTranscript());
        expect(events.slice(again).reduce(addEvent, before)).toEqual(whole);
        expect(events.reduce(addEvent, whole)).toBe(whole);
      }),
    );
  });

  it('keeps the same objects for turns that an event does not change', () => {
    const { events } = play([
      { kind: 'send', pick: 1 },
      { kind: 'delta', pick: 1 },
      { kind: 'end', pick: 1 },
      { kind: 'send', pick: 1 },
      { kind: 'delta', pick: 2 },
    ]);
    const before = events.slice(0, -1).reduce(addEvent, emptyTranscript());
    const after = events.reduce(addEvent, emptyTranscript());
    const last = events.at(-1);
    if (!last) throw new Error('there are events');
    expect(addEvent(before, last).turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
  });

  it('adds up the usage of an answer until the final event replaces it', () => {
    const { events } = play([
      { kind: 'send', pick: 1 },
      { kind: 'tick', pick: 1 },
      { kind: 'tick', pick: 1 },
    ]);
    const answer = events.reduce(addEvent, emptyTranscript()).turns[0]?.answers[0];
    expect(answer).toMatchObject({ status: 'answering', usage: { inputTokens: 6, outputTokens: 2 }, cost: null });
    const end = {
      type: 'answer.finished',
      runId: 'r1',
      status: 'completed',
      reason: 'Done.',
      usage,
      cost: 2,
      error: null,
    } as const;
    const ended = addEvent(events.reduce(addEvent, emptyTranscript()), { seq: 99, at: 9, ...end });
    expect(ended.turns[0]?.answers[0]).toMatchObject({
      status: 'completed',
      usage,
      cost: 2,
      finishedAt: 9,
      reason: 'Done.',
    });
  });
});

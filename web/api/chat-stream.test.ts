import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatEvent, ChatEventBody } from '../../src/chats/chat.ts';
import { type ChatStream, chatStream } from './chat-stream.ts';

/** A connection that says what a test tells it to. */
class TestSource extends EventTarget {
  readonly after: number;
  isOpen = true;
  constructor(after: number) {
    super();
    this.after = after;
  }
  close() {
    this.isOpen = false;
  }
  say(seq: number, body: ChatEventBody) {
    const event = { seq, at: seq, ...body } as ChatEvent;
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
  }
  ready() {
    this.dispatchEvent(new Event('ready'));
  }
  fail() {
    this.dispatchEvent(new Event('error'));
  }
}

let sources: TestSource[];
let frames: (() => void)[];
let isVisible: boolean;
let hearVisibility: () => void;
let hearOnline: () => void;
let stream: ChatStream;
let drawn: number;
let stop: () => void;

const message = (id: string): ChatEventBody => ({ type: 'message.sent', messageId: id, text: `Text of ${id}` });
const begun: ChatEventBody = { type: 'answer.started', runId: 'r1', messageId: 'm1', agentId: 'a', model: 'x/y' };
const word = (delta: string): ChatEventBody => ({ type: 'text', runId: 'r1', delta });
const source = () => sources.at(-1) as TestSource;
const draw = () => {
  for (const run of frames.splice(0)) run();
};
const said = () =>
  stream.view().transcript.turns.flatMap(({ answers }) => answers.flatMap(({ parts }) => parts.map((part) => part)));

beforeEach(() => {
  vi.useFakeTimers();
  sources = [];
  frames = [];
  isVisible = true;
  drawn = 0;
  stream = chatStream({
    // Only what the stream uses of it.
    connect: (after) => sources[sources.push(new TestSource(after)) - 1] as unknown as EventSource,
    onFrame: (run) => void frames.push(run),
    isVisible: () => isVisible,
    onVisibility: (listener) => {
      hearVisibility = listener;
      return () => {};
    },
    onOnline: (listener) => {
      hearOnline = listener;
      return () => {};
    },
  });
  stop = stream.subscribe(() => {
    drawn += 1;
  });
});

afterEach(() => vi.useRealTimers());

describe('a chat stream', () => {
  it('shows past events all at once', () => {
    source().say(1, message('m1'));
    source().say(2, begun);
    expect([frames.length, stream.view().state]).toEqual([0, 'loading']);
    source().ready();
    draw();
    expect([drawn, stream.view().state, stream.view().transcript.turns.length]).toEqual([1, 'live', 1]);
  });

  it('notifies listeners once per frame', () => {
    source().ready();
    draw();
    source().say(1, message('m1'));
    source().say(2, begun);
    for (let seq = 3; seq < 500; seq += 1) source().say(seq, word('x'));
    expect(frames).toHaveLength(1);
    draw();
    expect(drawn).toBe(2);
    expect(said()).toEqual([{ type: 'text', text: 'x'.repeat(497) }]);
  });

  it('resumes after a lost connection without repeating events', () => {
    source().say(1, message('m1'));
    source().say(2, begun);
    source().say(3, word('Hello'));
    source().ready();
    source().fail();
    draw();
    expect([stream.view().state, source().isOpen]).toEqual(['lost', false]);
    vi.advanceTimersByTime(500);
    expect([sources.length, source().after]).toEqual([2, 3]);
    // A hub that tells more than it was asked for.
    source().say(3, word('Hello'));
    source().say(4, word(' you'));
    source().ready();
    draw();
    expect([stream.view().state, said()]).toEqual(['live', [{ type: 'text', text: 'Hello you' }]]);
  });

  it('reconnects at once when the network returns, and backs off until then', () => {
    source().ready();
    for (let times = 0; times < 8; times += 1) {
      source().fail();
      vi.advanceTimersByTime(10_000);
    }
    expect(sources).toHaveLength(9);
    source().fail();
    hearOnline();
    expect(sources).toHaveLength(10);
    vi.advanceTimersByTime(60_000);
    expect(sources).toHaveLength(10);
  });

  it('disconnects while the page is hidden', () => {
    source().say(1, message('m1'));
    source().ready();
    isVisible = false;
    hearVisibility();
    expect(source().isOpen).toBe(false);
    isVisible = true;
    hearVisibility();
    expect([sources.length, source().after]).toEqual([2, 1]);
  });

  it('disconnects without listeners and keeps its view', () => {
    source().say(1, message('m1'));
    source().ready();
    draw();
    stop();
    vi.advanceTimersByTime(60_000);
    expect([sources.length, source().isOpen]).toEqual([1, false]);
    stream.subscribe(() => {});
    expect([source().after, stream.view().transcript.turns.length]).toEqual([1, 1]);
  });
});

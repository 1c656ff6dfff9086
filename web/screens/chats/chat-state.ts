import type { Chat } from '../../../src/chats/chat.ts';
import type { CallPart, Transcript } from '../../../src/chats/transcript.ts';

export type ChatState = Chat['state'];

/** Returns the current state of an open chat. Its event stream may be ahead of the listed `state`. */
export function currentState(chat: Pick<Chat, 'state' | 'lastSeq'>, { turns, lastSeq }: Transcript): ChatState {
  const isStale = chat.lastSeq < lastSeq;
  const turn = turns.at(-1);
  const answer = turn?.answers.at(-1);
  if (!turn) return 'idle';
  if (!answer) return isStale || chat.state === 'waiting' ? 'answering' : chat.state;
  if (answer.status === 'interrupted') return 'interrupted';
  if (answer.status !== 'answering') return 'idle';
  if (chat.state === 'interrupted' && !isStale) return 'interrupted';
  return waitingCall({ turns }) ? 'waiting' : 'answering';
}

/** Returns the first call that waits for the user's approval. */
export function waitingCall({ turns }: Pick<Transcript, 'turns'>): CallPart | undefined {
  const answer = turns.at(-1)?.answers.at(-1);
  if (answer?.status !== 'answering') return undefined;
  return answer.parts.find((part): part is CallPart => part.type === 'call' && part.state === 'waiting');
}

/** Returns a key that changes when an event also changed the chat's summary: its state, usage or title. */
export function summaryKey({ turns }: Transcript): string {
  const turn = turns.at(-1);
  const answer = turn?.answers.at(-1);
  const waiting = answer?.parts.filter((part) => part.type === 'call' && part.state === 'waiting').length ?? 0;
  return [turns.length, turn?.messageId, answer?.runId, answer?.status, waiting].join(' ');
}

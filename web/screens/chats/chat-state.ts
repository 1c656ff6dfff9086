import type { Chat } from '../../../src/chats/chat.ts';
import type { CallPart, Transcript } from '../../../src/chats/transcript.ts';

export type ChatState = Chat['state'];

/** What an open chat does now: its own events are ahead of what was told of it. */
export function stateNow(chat: Pick<Chat, 'state' | 'lastSeq'>, { turns, lastSeq }: Transcript): ChatState {
  const isOld = chat.lastSeq < lastSeq;
  const turn = turns.at(-1);
  const answer = turn?.answers.at(-1);
  if (!turn) return 'idle';
  if (!answer) return isOld || chat.state === 'waiting' ? 'answering' : chat.state;
  if (answer.status === 'interrupted') return 'interrupted';
  if (answer.status !== 'answering') return 'idle';
  if (chat.state === 'interrupted' && !isOld) return 'interrupted';
  return waitingCall({ turns }) ? 'waiting' : 'answering';
}

/** The call that a person is asked about first. */
export function waitingCall({ turns }: Pick<Transcript, 'turns'>): CallPart | undefined {
  const answer = turns.at(-1)?.answers.at(-1);
  if (answer?.status !== 'answering') return undefined;
  return answer.parts.find((part): part is CallPart => part.type === 'call' && part.state === 'waiting');
}

/** Changes when something happened that also changes what is told of the chat: its state, its sums, its title. */
export function newsKey({ turns }: Transcript): string {
  const turn = turns.at(-1);
  const answer = turn?.answers.at(-1);
  const waiting = answer?.parts.filter((part) => part.type === 'call' && part.state === 'waiting').length ?? 0;
  return [turns.length, turn?.messageId, answer?.runId, answer?.status, waiting].join(' ');
}

import type { Chat } from './chat.ts';
import type { Chats } from './chats.ts';
import { addEvent, emptyTranscript, type Transcript } from './transcript.ts';

/** Reads the transcript of a chat up to now. */
export async function readTranscript(chats: Chats, { id, lastSeq }: Chat): Promise<Transcript> {
  let transcript = emptyTranscript();
  if (lastSeq === 0) return transcript;
  const enough = new AbortController();
  for await (const event of chats.events(id, { signal: enough.signal })) {
    transcript = addEvent(transcript, event);
    if (event.seq >= lastSeq) break;
  }
  enough.abort('It was read.');
  return transcript;
}

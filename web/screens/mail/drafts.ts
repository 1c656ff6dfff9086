/** What was written and not sent yet, for as long as the page is open. */
const drafts = new Map<string, string>();

export function draftOf(place: string): string {
  return drafts.get(place) ?? '';
}

export function keepDraft(place: string, text: string): void {
  if (text === '') drafts.delete(place);
  else drafts.set(place, text);
}

/** One try to send something: the same words again have the same key, so the hub takes them for the same mail. */
interface Attempt {
  key: string;
  content: string;
}

function nextAttempt(before: Attempt | undefined, content: string, makeKey: () => string): Attempt {
  return before?.content === content ? before : { key: makeKey(), content };
}

const attempts = new Map<string, Attempt>();

/** The key for sending this from this place; kept until `forgetAttempt`, also while another thread is open. */
export function attemptKey(place: string, content: string): string {
  const attempt = nextAttempt(attempts.get(place), content, randomKey);
  attempts.set(place, attempt);
  return attempt.key;
}

/** It was sent: the same words from here are a new mail. */
export function forgetAttempt(place: string): void {
  attempts.delete(place);
}

// randomUUID is there only on pages that the browser trusts: https, or this machine.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

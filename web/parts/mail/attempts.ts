/** One attempt to send. The same text reuses the key, so the hub treats a retry as the same mail. */
interface Attempt {
  key: string;
  content: string;
}

function nextAttempt(before: Attempt | undefined, content: string, makeKey: () => string): Attempt {
  return before?.content === content ? before : { key: makeKey(), content };
}

const attempts = new Map<string, Attempt>();

/** Returns the idempotency key for sending this content. It stays the same until `forgetAttempt`, even while another thread is open. */
export function attemptKey(key: string, content: string): string {
  const attempt = nextAttempt(attempts.get(key), content, randomKey);
  attempts.set(key, attempt);
  return attempt.key;
}

/** Call after sending: the same text is then a new mail. */
export function forgetAttempt(key: string): void {
  attempts.delete(key);
}

// randomUUID exists only in secure contexts: HTTPS or localhost.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

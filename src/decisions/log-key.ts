/** The key of one home, with which its processes chain their entries. The database never holds it. */
export interface LogKey {
  /** Identifies the key in everything made with it, without revealing it. */
  readonly id: string;
  /** Returns a proof that the holder of the key saw this text: the key's id, a dot, and an HMAC-SHA-256. */
  sign(text: string): string;
}

export function logKey(bytes: Uint8Array): LogKey {
  // Loaded with the first entry, so that a process that only lists its tools starts faster.
  const { createHash, createHmac, createSecretKey } = process.getBuiltinModule('node:crypto');
  const secret = createSecretKey(bytes);
  const id = createHash('sha256').update('agent-zoo log key\n').update(bytes).digest('base64url').slice(0, 10);
  return { id, sign: (text) => `${id}.${createHmac('sha256', secret).update(text).digest('base64url')}` };
}

/** Returns the id of the key that a proof was made with; undefined for a plain hash and for an empty proof. */
export function keyIdOf(proof: string): string | undefined {
  const dot = proof.indexOf('.');
  return dot === -1 ? undefined : proof.slice(0, dot);
}

/** Tells whether a proof is right. `unknown`: it was made with a key that is not on this machine. */
export function checkProof(
  keys: ReadonlyMap<string, LogKey>,
  proof: string,
  text: string,
): 'right' | 'wrong' | 'unknown' {
  const id = keyIdOf(proof);
  const key = id === undefined ? undefined : keys.get(id);
  if (!key) return id === undefined ? 'wrong' : 'unknown';
  return key.sign(text) === proof ? 'right' : 'wrong';
}

/** What the proof of a chain's start covers: where it begins after older entries were deleted. */
export function startText(chain: string, firstNo: number, hashBefore: string): string {
  return `start\n${chain}\n${firstNo}\n${hashBefore}`;
}

/** What the proof of a cut covers. */
export function cutText({ id, kind, at, detail }: { id: string; kind: string; at: number; detail: string }): string {
  return `cut\n${id}\n${kind}\n${at}\n${detail}`;
}

import type { JsonObject } from '../../base/json.ts';
import { isObject, sessionVersions } from '../protocol/protocol.ts';

/** How long a session id is valid. */
const lifetimeMs = 30 * 24 * 3_600_000;
/** How much longer the rows of a session are kept, because the clocks of processes may differ. */
const marginMs = 24 * 3_600_000;

/** What a session id says about the client. */
export interface SessionClient {
  version: string;
  capabilities: JsonObject;
}

export interface OpenedToken extends SessionClient {
  /** Random. Identifies the session in the database. */
  id: string;
  issuedAt: number;
  /** The process in which it began. */
  home: string;
}

/**
 * Creates the id of a session: what any process needs to continue it, with a signature. The signature covers `viewKey`, which names the
 * caller and the address, so the id is worthless to anybody else.
 */
export function sealToken(
  client: SessionClient,
  { key, viewKey, now, home }: { key: Buffer; viewKey: string; now: number; home: string },
) {
  const id = nodeCrypto().randomBytes(12).toString('base64url');
  const content = [client.version, Math.floor(now / 1_000), client.capabilities, home];
  const payload = `${id}.${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
  return { id, token: `${payload}.${sign(key, payload, viewKey)}` };
}

/** Returns undefined for an id that is invalid, has expired, or belongs to another caller or address. */
export function openToken(
  token: string,
  { key, viewKey, now }: { key: Buffer; viewKey: string; now: number },
): OpenedToken | undefined {
  const [id = '', content = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isEqual(signature, sign(key, `${id}.${content}`, viewKey))) return undefined;
  // Signed by a process of this installation.
  const [version, seconds, capabilities, home]: [string, number, unknown, string] = JSON.parse(
    Buffer.from(content, 'base64url').toString(),
  );
  const issuedAt = seconds * 1_000;
  if (!sessionVersions.includes(version) || !isObject(capabilities) || now > issuedAt + lifetimeMs) return undefined;
  return { id, version, capabilities, issuedAt, home };
}

/** Returns until when the rows of a session are kept. */
export function rowsExpireAt(issuedAt: number): number {
  return issuedAt + lifetimeMs + marginMs;
}

function sign(key: Buffer, payload: string, viewKey: string): string {
  return nodeCrypto().createHmac('sha256', key).update(`session\n${payload}\n`).update(viewKey).digest('base64url');
}

function isEqual(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
  return one.length === other.length && nodeCrypto().timingSafeEqual(one, other);
}

/** Loads node:crypto with the first session, rather than at start-up. */
function nodeCrypto() {
  return process.getBuiltinModule('node:crypto');
}

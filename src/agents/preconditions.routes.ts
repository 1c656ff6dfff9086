import { HubError } from '../base/hub-error.ts';
import { Refusal } from '../http/to-error-response.ts';

export function toEtag(revision: number): string {
  return `"${revision}"`;
}

/** Returns the revision in an If-Match header: null for `*`, undefined without the header. Throws INVALID_ARGUMENTS. */
export function readIfMatch(header: string | undefined): number | null | undefined {
  if (header === undefined) return undefined;
  const value = header.trim();
  if (value === '*') return null;
  const match = /^"(\d{1,15})"$/.exec(value);
  if (match) return Number(match[1]);
  throw new HubError(
    'INVALID_ARGUMENTS',
    `If-Match must be a revision in quotes, such as "3", or *; it was ${value.slice(0, 80)}.`,
  );
}

/** Like `namedRevision`. Throws 428 if no revision is named. */
export function requireRevision(header: string | undefined, body?: unknown): number | null {
  const named = namedRevision(header, body);
  if (named !== undefined) return named;
  throw new Refusal(
    428,
    'precondition_required',
    'Name the version you changed: send its ETag as If-Match, or * to overwrite any version.',
  );
}

/** Returns the revision that a write is based on, from If-Match or `revision` in the body; null for any. Throws INVALID_ARGUMENTS. */
export function namedRevision(header: string | undefined, body?: unknown): number | null | undefined {
  const named = readIfMatch(header);
  if (named !== undefined) return named;
  const inBody = typeof body === 'object' && body !== null && 'revision' in body ? body.revision : undefined;
  if (inBody === undefined || inBody === null) return undefined;
  if (Number.isSafeInteger(inBody)) return Number(inBody);
  throw new HubError('INVALID_ARGUMENTS', 'revision: must be a whole number.', {
    details: { issues: [{ path: 'revision', message: 'must be a whole number' }] },
  });
}

/** Compares an If-None-Match header, which may list several weak ETags. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => {
    const value = each.trim().replace(/^W\//, '');
    return value === '*' || value === etag;
  });
}

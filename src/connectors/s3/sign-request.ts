import { createHash, createHmac } from 'node:crypto';

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  /** For temporary keys. */
  sessionToken?: string | undefined;
}

interface UnsignedRequest {
  url: URL;
  region: string;
  keys: AwsKeys;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The hash of an empty body. Only GET requests are signed. */
const emptyHash = createHash('sha256').update('').digest('hex');

/**
 * Returns the headers of a signed GET request (AWS Signature Version 4, "Authenticating Requests: Using the Authorization Header"). The URL must
 * be encoded with `encodeKey`, because the service signs what it receives.
 */
export function signedHeaders({ url, region, keys, now }: UnsignedRequest): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': emptyHash,
    'x-amz-date': time,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  // The names are in alphabetical order already.
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value.trim()}\n`);
  const query = url.search.slice(1).split('&').sort().join('&');
  const request = ['GET', url.pathname, query, lines.join(''), names, emptyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const credential = `${keys.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names},Signature=${signature}`,
  };
}

/** Encodes all characters except letters, digits and `-._~`, as the signature requires. Slashes stay if they separate folders. */
export function encodeKey(text: string, { keepSlashes }: { keepSlashes: boolean }): string {
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return keepSlashes ? encoded.replaceAll('%2F', '/') : encoded;
}

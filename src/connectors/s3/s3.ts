import { type Clock, systemClock } from '../../base/clock.ts';
import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import { hostOf } from '../../base/public-addresses.ts';
import type { Connector, ScanContext } from '../../knowledge/connector.ts';
import { chooseFiles } from '../choose-files.ts';
import { maxTextBytes, whyTooLarge } from '../read-problems.ts';
import { type ListedPage, readListing, readS3Error, type S3Object } from './list-objects.ts';
import { type AwsKeys, encodeKey, signedHeaders } from './sign-request.ts';

export interface S3Settings {
  name: string;
  bucket: string;
  /** Only keys that begin with it are read. Globs match what follows it. */
  prefix: string;
  region: string;
  endpoint_url?: string | undefined;
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  isCtxGlobs?: boolean | undefined;
  max_extract_bytes: number;
  tags: readonly string[];
  /** Which objects to include without include globs. */
  takes?: ((name: string) => boolean) | undefined;
}

interface S3Parts {
  /** Reads an environment variable. The keys are read for each scan. */
  lookUp(name: string): string | undefined;
  clock?: Clock;
}

const timeoutMs = 60_000;
/** A page has at most 1,000 keys of 1,024 bytes. */
const maxPageBytes = 16 * 1024 * 1024;

/** Connects a bucket of Amazon S3 or of a compatible service. Throws INVALID_ARGUMENTS for an unusable glob. */
export function s3Connector(settings: S3Settings, { lookUp, clock = systemClock }: S3Parts): Connector {
  const { bucket, prefix, region } = settings;
  const base = baseOf(settings);
  const choice = chooseFiles(settings);
  const tags = [...settings.tags];
  const maxBytes = Math.max(settings.max_extract_bytes, maxTextBytes);
  const location = `s3://${bucket}/${prefix}${settings.endpoint_url === undefined ? '' : ` at ${base.host}`}`;

  return {
    type: 's3',
    name: settings.name,
    location,

    async *scan(context) {
      const keys = readKeys();
      for await (const object of objects(keys, context.signal)) {
        if (isTaken(object, context)) {
          yield {
            sourceId: object.key,
            version: `${object.etag || object.updatedAt}-${object.size}`,
            updatedAt: object.updatedAt,
            url: `s3://${bucket}/${object.key}`,
            metadata: { bucket, etag: object.etag, size: object.size },
            ...(tags.length > 0 && { tags }),
            read: (signal) => get(objectUrl(object.key), keys, { signal, maxBytes }),
          };
        }
      }
    },
  };

  function readKeys(): AwsKeys {
    const [accessKeyId, secretAccessKey] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((name) => {
      const value = lookUp(name);
      if (value) return value;
      throw new HubError(
        'UNAVAILABLE',
        `${name} is not set, so ${location} cannot be read. Set it in the environment.`,
      );
    });
    return {
      accessKeyId: accessKeyId ?? '',
      secretAccessKey: secretAccessKey ?? '',
      sessionToken: lookUp('AWS_SESSION_TOKEN'),
    };
  }

  async function* objects(keys: AwsKeys, signal: AbortSignal): AsyncGenerator<S3Object> {
    let token: string | undefined;
    do {
      const page: ListedPage = await list(keys, token, signal);
      yield* page.objects;
      if (page.next !== undefined && page.next === token)
        throw new HubError('UNAVAILABLE', `The listing of ${location} repeats the same page, so it would never end.`);
      token = page.next;
    } while (token !== undefined);
  }

  async function list(keys: AwsKeys, token: string | undefined, signal: AbortSignal): Promise<ListedPage> {
    const query = {
      ...(token !== undefined && { 'continuation-token': token }),
      'encoding-type': 'url',
      'list-type': '2',
      'max-keys': '1000',
      ...(prefix !== '' && { prefix }),
    };
    const url = new URL(base);
    url.search = Object.entries(query)
      .map(([name, value]) => `${name}=${encodeKey(value, { keepSlashes: false })}`)
      .join('&');
    const body = await get(url, keys, { signal, maxBytes: maxPageBytes });
    const page = readListing(body.toString('utf8'));
    if (page) return page;
    throw new HubError('UNAVAILABLE', `${base.host} did not reply with a list of objects. Check endpoint_url.`);
  }

  function objectUrl(key: string): URL {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/$/, '')}/${encodeKey(key, { keepSlashes: true })}`;
    return url;
  }

  /** Sends a signed request, and follows no redirect: a signature is valid for one host only. */
  async function get(url: URL, keys: AwsKeys, limits: { signal: AbortSignal; maxBytes: number }): Promise<Buffer> {
    const headers = signedHeaders({ url, region, keys, now: clock.now() });
    const reply = await guardedFetch(
      { url, method: 'GET', headers },
      {
        // The user has named this host in endpoint_url.
        allows: (host) => settings.endpoint_url !== undefined && host === hostOf(base),
        refuse: ({ what }) => new HubError('PERMISSION_DENIED', `${what}, which ${location} may not use.`),
        maxRedirects: 0,
        timeoutMs,
        ...limits,
      },
    );
    if (reply.status === 200) return reply.body;
    throw refused(reply.status, reply.body.toString('utf8').slice(0, 10_000), reply.headers['x-amz-bucket-region']);
  }

  function refused(status: number, body: string, otherRegion: string | string[] | undefined): HubError {
    const { code, message } = readS3Error(body);
    const hint =
      otherRegion !== undefined && otherRegion !== region
        ? ` The bucket is in another region: set region = "${otherRegion}".`
        : '';
    const why = [code, message].filter(Boolean).join(': ') || 'no reason given';
    return new HubError(
      'UNAVAILABLE',
      `${location} replied ${status} (${why.slice(0, 300).replace(/\.$/, '')}).${hint}`,
    );
  }

  /** Judges the folders above an object like folders on a disk, then the object itself. */
  function isTaken({ key, size }: S3Object, { skip, fail }: ScanContext): boolean {
    // Consoles create such keys to show an empty folder.
    if (key === '' || key.endsWith('/')) return false;
    const path = below(prefix, key);
    const parts = path.split('/');
    if (parts.includes('.') || parts.includes('..')) {
      fail(key, 'Its key has a part "." or "..", which no address can contain. Rename it.');
      return false;
    }
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      const reason = choice.whyNotFolder(folder);
      if (!reason) continue;
      skip(key.slice(0, key.length - path.length + folder.length), reason, { isFolder: true });
      return false;
    }
    const reason = choice.whyNotFile(path);
    const problem = whyTooLarge(path, size, settings.max_extract_bytes);
    if (reason) skip(key, reason);
    else if (problem) fail(key, problem);
    return !reason && !problem;
  }
}

/** Returns the bucket's address: a host of its own at Amazon, a folder of the endpoint elsewhere. No certificate covers a bucket with a dot. */
export function baseOf({ bucket, region, endpoint_url }: Pick<S3Settings, 'bucket' | 'region' | 'endpoint_url'>): URL {
  const amazon = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const host = bucket.includes('.') ? amazon : `${bucket}.${amazon}`;
  const url = new URL(endpoint_url ?? `https://${host}/`);
  const isOwnHost = url.hostname.toLowerCase().startsWith(`${bucket.toLowerCase()}.`);
  if (!isOwnHost) url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}`;
  return url;
}

function below(prefix: string, key: string): string {
  const folder = prefix.replace(/\/+$/, '');
  return key.startsWith(folder) ? key.slice(folder.length).replace(/^\/+/, '') : key;
}

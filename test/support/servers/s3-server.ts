import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AwsKeys, signedHeaders } from '../../../src/connectors/s3/sign-request.ts';

export interface S3Server extends AsyncDisposable {
  url: string;
  /** By key. A test may change it. */
  objects: Map<string, string>;
  requests: { kind: 'list' | 'get'; key: string }[];
}

interface S3Options {
  bucket: string;
  keys: AwsKeys;
  /** The maximum number of keys in one reply. */
  pageSize: number;
  objects: Record<string, string>;
  region?: string;
}

/** A server on loopback that speaks the part of S3 that a source needs. It refuses requests with a wrong signature. */
export async function startS3Server({
  bucket,
  keys,
  pageSize,
  objects,
  region = 'us-east-1',
}: S3Options): Promise<S3Server> {
  const stored = new Map(Object.entries(objects));
  const requests: S3Server['requests'] = [];
  const server = createServer(reply).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    objects: stored,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  function reply(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const [, first, ...rest] = url.pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const text = stored.get(key);
    if (!isSigned(request, url)) refuse(response, 403, 'SignatureDoesNotMatch', 'The signature does not match.');
    else if (first !== bucket) refuse(response, 404, 'NoSuchBucket', 'The specified bucket does not exist.');
    else {
      requests.push({ kind: key === '' ? 'list' : 'get', key });
      if (key === '') list(url.searchParams, response);
      else if (text === undefined) refuse(response, 404, 'NoSuchKey', 'The specified key does not exist.');
      else response.end(text);
    }
  }

  function isSigned({ headers }: IncomingMessage, url: URL): boolean {
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
    const now = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return headers.authorization === signedHeaders({ url, region, keys, now }).authorization;
  }

  function list(query: URLSearchParams, response: ServerResponse): void {
    const after = Number(query.get('continuation-token') ?? 0);
    const names = [...stored.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
    const page = names.slice(after, after + pageSize);
    const isCut = after + pageSize < names.length;
    const isEncoded = query.get('encoding-type') === 'url';
    const contents = page.map((key) => {
      const shown = isEncoded ? encodeURIComponent(key).replaceAll('%20', '+') : escaped(key);
      const text = stored.get(key) ?? '';
      const etag = createHash('md5').update(text).digest('hex');
      return `<Contents><Key>${shown}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${Buffer.byteLength(text)}</Size></Contents>`;
    });
    response.end(
      `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>${isEncoded ? '<EncodingType>url</EncodingType>' : ''}<IsTruncated>${isCut}</IsTruncated>${isCut ? `<NextContinuationToken>${after + pageSize}</NextContinuationToken>` : ''}${contents.join('')}</ListBucketResult>`,
    );
  }

  function refuse(response: ServerResponse, status: number, code: string, message: string): void {
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

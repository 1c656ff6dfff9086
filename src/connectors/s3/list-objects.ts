/** An object of a bucket, as a listing describes it. */
export interface S3Object {
  key: string;
  size: number;
  /** Changes with the content. Without quotes. */
  etag: string;
  updatedAt: number;
}

export interface ListedPage {
  objects: S3Object[];
  /** The token of the next page; undefined at the end. */
  next: string | undefined;
}

/** Reads a reply of ListObjectsV2. Returns undefined if it is not one. */
export function readListing(xml: string): ListedPage | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml)) return undefined;
  const isEncoded = element(xml.replaceAll(/<Contents>.*?<\/Contents>/gs, ''), 'EncodingType') === 'url';
  const blocks = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, block = '']) => block);
  const objects = blocks.map((block) => {
    const key = element(block, 'Key') ?? '';
    return {
      key: isEncoded ? decoded(key) : key,
      size: Number(element(block, 'Size') ?? 0),
      etag: (element(block, 'ETag') ?? '').replaceAll('"', ''),
      updatedAt: Date.parse(element(block, 'LastModified') ?? '') || 0,
    };
  });
  const isCut = element(xml, 'IsTruncated') === 'true';
  return { objects, next: isCut ? element(xml, 'NextContinuationToken') : undefined };
}

/** Returns the code and the message of an error reply. */
export function readS3Error(xml: string): { code: string | undefined; message: string | undefined } {
  return { code: element(xml, 'Code'), message: element(xml, 'Message') };
}

function element(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(lt|gt|quot|apos|amp));/gi, (_whole, hex, decimal, name: string) => {
    if (name) return entities[name.toLowerCase()] ?? '';
    return String.fromCodePoint(Number.parseInt(hex ?? decimal, hex ? 16 : 10));
  });
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Undoes `encoding-type=url`, which also writes spaces as `+`. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

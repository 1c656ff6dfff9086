import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { matchesEtag } from '../../agents/preconditions.routes.ts';
import { webAppPolicy } from './security-headers.ts';

export interface StaticFiles {
  /** Returns the file at this address, or the web app's page for a browser navigation; undefined otherwise. */
  answer(request: Request): Promise<Response | undefined>;
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** Serves the folder of a single-page app. Files outside the folder are unreachable, even through `..` and links. */
export function staticFiles(root: string): StaticFiles {
  const bodies: Bodies = new Map();
  return {
    async answer(request) {
      const path = safePath(new URL(request.url).pathname);
      const file = path === undefined ? undefined : await findFile(root, path);
      if (file) return fileResponse(request, { file, path: path ?? '', bodies });
      if (path !== '/' && !asksForPage(request, path)) return undefined;
      const page = await findFile(root, '/index.html');
      return page ? fileResponse(request, { file: page, path: '/index.html', bodies }) : unbuiltPage();
    },
  };
}

/** Finds the built web app: next to the published code, or in `dist/web` of a checkout. */
export function findWebRoot(from: string = import.meta.dirname): string {
  const candidates = ['web', '../web', '../../../dist/web'].map((path) => join(from, path));
  return candidates.find((path) => existsSync(join(path, 'index.html'))) ?? join(from, '../../../dist/web');
}

/** Returns the decoded path; undefined for unsafe paths and hidden files. */
function safePath(pathname: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  if (path.includes('\0') || path.includes('\\')) return undefined;
  return path.split('/').some((part) => part.startsWith('.')) ? undefined : path;
}

/** Whether a browser navigates to a page. A missing asset is not a page. */
function asksForPage(request: Request, path: string | undefined): boolean {
  if (path === undefined || path.startsWith('/assets/')) return false;
  return request.headers.get('accept')?.includes('text/html') ?? false;
}

interface FoundFile {
  path: string;
  etag: string;
}

async function findFile(root: string, path: string): Promise<FoundFile | undefined> {
  try {
    const [home, real] = await Promise.all([realpath(root), realpath(join(root, path))]);
    if (!real.startsWith(home + sep)) return undefined;
    const found = await stat(real);
    if (!found.isFile()) return undefined;
    return { path: real, etag: `"${found.size.toString(36)}-${Math.trunc(found.mtimeMs).toString(36)}"` };
  } catch {
    return undefined;
  }
}

/** Compressed bodies by file, state and encoding. The folder bounds them; a replaced file replaces its own. */
type Bodies = Map<string, Promise<Uint8Array<ArrayBuffer>>>;

async function fileResponse(
  request: Request,
  { file, path, bodies }: { file: FoundFile; path: string; bodies: Bodies },
): Promise<Response> {
  const extension = extname(file.path);
  const encoding = compressible.has(extension) ? chooseEncoding(request.headers.get('accept-encoding')) : undefined;
  // Bytes in another encoding are another representation, so they need another tag.
  const etag = encoding ? file.etag.replace(/"$/, `-${encoding}"`) : file.etag;
  const headers: Record<string, string> = {
    'content-type': contentTypes[extension] ?? 'application/octet-stream',
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    ...(compressible.has(extension) && { vary: 'accept-encoding' }),
    ...(encoding && { 'content-encoding': encoding }),
    ...(extension === '.html' && { 'content-security-policy': webAppPolicy }),
  };
  if (matchesEtag(request.headers.get('if-none-match') ?? undefined, etag)) {
    return new Response(null, { status: 304, headers });
  }
  const body = encoding ? await compressed(bodies, file, encoding) : new Uint8Array(await readFile(file.path));
  return new Response(body, { headers });
}

type Encoding = 'br' | 'gzip';
const compressible = new Set(['.html', '.js', '.css', '.json', '.map', '.webmanifest', '.svg', '.txt', '.wasm']);
const encoders: Record<Encoding, (body: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>> = {
  // Higher qualities need seconds for the largest file and save five percent.
  br: async (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  gzip: async (body) => promisify(gzip)(body, { level: 9 }),
};

/** Returns the smallest encoding that the browser accepts. Without TLS, most browsers accept only gzip from other machines. */
function chooseEncoding(accepted: string | null): Encoding | undefined {
  const names = (accepted ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/i.test(part))
    .map((part) => part.split(';')[0]?.trim().toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding));
}

/** Compresses each file once. */
async function compressed(bodies: Bodies, file: FoundFile, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${encoding} ${file.etag} ${file.path}`;
  const made = bodies.get(key) ?? readFile(file.path).then(encoders[encoding]);
  if (!bodies.has(key)) {
    for (const old of bodies.keys()) {
      if (old.startsWith(`${encoding} `) && old.endsWith(` ${file.path}`)) bodies.delete(old);
    }
    bodies.set(key, made);
    made.catch(() => bodies.delete(key));
  }
  return made;
}

function unbuiltPage(): Response {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Agent Zoo</title><meta name="viewport" content="width=device-width"></head>
<body>
<h1>The web app is not built yet</h1>
<p>Run <code>npm run build</code> in the checkout, then reload this page. The API is described at <a href="/docs">/docs</a>.</p>
</body>
</html>
`;
  return new Response(html, {
    status: 503,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

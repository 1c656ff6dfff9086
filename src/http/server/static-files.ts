import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
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
  return {
    async answer(request) {
      const path = safePath(new URL(request.url).pathname);
      const file = path === undefined ? undefined : await findFile(root, path);
      if (file) return fileResponse(request, file, path ?? '');
      if (path !== '/' && !asksForPage(request, path)) return undefined;
      const page = await findFile(root, '/index.html');
      return page ? fileResponse(request, page, '/index.html') : unbuiltPage();
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

async function fileResponse(request: Request, file: FoundFile, path: string): Promise<Response> {
  const extension = extname(file.path);
  const headers: Record<string, string> = {
    'content-type': contentTypes[extension] ?? 'application/octet-stream',
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    ...(extension === '.html' && { 'content-security-policy': webAppPolicy }),
  };
  if (matchesEtag(request.headers.get('if-none-match') ?? undefined, file.etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(new Uint8Array(await readFile(file.path)), { headers });
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

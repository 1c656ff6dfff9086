import { readFile, stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContextReader, ContextSource, ContextText } from '../agents/deliver-context.ts';
import { guardedFetch } from '../base/guarded-fetch.ts';
import { HubError } from '../base/hub-error.ts';
import { allowHosts } from '../base/public-addresses.ts';
import { isInside, realPath } from '../base/real-path.ts';
import { fromHome } from '../config/find-config.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { looksSecret } from '../connectors/looks-secret.ts';
import { contentTypeOf } from '../text/content-types.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';

/** The maximum size of a file or page that an agent names. */
export const maxContextBytes = 1024 * 1024;
const timeoutMs = 10_000;
const maxRedirects = 5;

type ReaderConfig = Pick<LoadedConfig, 'config' | 'folder' | 'home' | 'dataDir'>;

/**
 * Finds the files and pages that agents name. Files are inside the folder of the config or one of `[context] folders`, and neither hidden
 * nor in the data folder. Pages are public, or on one of `[context] allow_hosts`.
 */
export function contextReader(config: ReaderConfig): ContextReader {
  const { folder, home } = config;
  return {
    async find(ref) {
      if (/^https?:\/\//i.test(ref)) return page(ref, config);
      if (/^[a-z][a-z0-9+.-]+:/i.test(ref) && !/^file:\/\//i.test(ref))
        throw new HubError('INVALID_ARGUMENTS', 'It is neither a file nor an http address.');
      return file(resolve(folder, fromHome(pathOf(ref), home)), config);
    },
  };
}

function pathOf(ref: string): string {
  try {
    return /^file:\/\//i.test(ref) ? fileURLToPath(ref) : ref;
  } catch (error) {
    throw new HubError('INVALID_ARGUMENTS', 'It is not the address of a file on this machine.', { cause: error });
  }
}

async function file(path: string, config: ReaderConfig): Promise<ContextSource> {
  const real = realPath(path);
  refuseOutside(real, config);
  const found = await stat(real).catch(() => undefined);
  if (!found) throw new HubError('NOT_FOUND', 'There is no such file.');
  if (!found.isFile()) throw new HubError('INVALID_ARGUMENTS', 'It is not a file. Name the files in it.');
  return {
    mimeType: contentTypeOf(real),
    async read() {
      if (found.size > maxContextBytes) throw tooLarge();
      return toText(real, await readFile(real), contentTypeOf(real));
    },
  };
}

/** Compares real paths, so that a link cannot lead out of the folder. */
function refuseOutside(real: string, { config, folder, home, dataDir }: ReaderConfig): void {
  const named = config.context.folders.map((each) => resolve(folder, fromHome(each, home)));
  const own = [home, dataDir].some((each) => isInside(realPath(each), realPath(folder))) ? [] : [folder];
  const roots = [...own, ...named].map(realPath);
  const within = roots.filter((root) => isInside(real, root));
  if (within.length === 0) {
    const where = roots.length === 0 ? 'no folder is allowed yet' : `allowed: ${roots.join(', ')}`;
    throw new HubError(
      'PERMISSION_DENIED',
      `It is outside the allowed folders (${where}). Add its folder to [context] folders.`,
    );
  }
  if (isInside(real, realPath(dataDir)))
    throw new HubError('PERMISSION_DENIED', "It is in the hub's own data folder, which agents cannot read.");
  if (
    within.every((root) =>
      relative(root, real)
        .split(sep)
        .some((part) => part.startsWith('.')),
    )
  )
    throw new HubError('PERMISSION_DENIED', 'It is hidden, or in a hidden folder. Agents get only ordinary files.');
  // The agent may come from a folder that is not trusted, or from a stranger's file.
  if (looksSecret(basename(real)))
    throw new HubError(
      'PERMISSION_DENIED',
      'It looks like a file with secrets, judging by its name. Agents cannot read it.',
    );
}

function page(url: string, { config }: ReaderConfig): ContextSource {
  return {
    url,
    async read(signal) {
      const reply = await guardedFetch(
        { url, method: 'GET', headers: { accept: 'text/*, application/json;q=0.9, */*;q=0.1' } },
        {
          signal,
          timeoutMs,
          maxRedirects,
          maxBytes: maxContextBytes,
          allows: allowHosts(config.context.allow_hosts),
          refuse: ({ host, what }) =>
            new HubError('PERMISSION_DENIED', `${what}. Allow it with [context] allow_hosts = ["${host}"].`),
        },
      );
      if (reply.status !== 200) throw new HubError('UNAVAILABLE', `The server replied with status ${reply.status}.`);
      return toText(reply.url.pathname, reply.body, reply.headers['content-type']);
    },
  };
}

/** Reads documents of all kinds as the knowledge base does. Throws INVALID_FORMAT for anything without text. */
async function toText(name: string, content: Uint8Array, contentType?: string): Promise<ContextText> {
  // Loaded on demand, because most agents name no files.
  const { prepareDocument } = await import('../text/prepare-document.ts');
  const item = { name, content, ...(contentType && { contentType }) };
  const { body } = await prepareDocument(item, { maxTokens: 8_192, overlapTokens: 0 });
  return { text: body, tokens: estimateTokens(body) };
}

function tooLarge(): HubError {
  return new HubError('TOO_LARGE', `It is larger than ${maxContextBytes / 1024 / 1024} MB.`);
}

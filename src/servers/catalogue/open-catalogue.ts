import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { once } from '../../base/lazy.ts';
import { replacePrivateFile } from '../../base/private-files.ts';
import { parseWith } from '../../base/validate.ts';
import { maskAddress } from '../mask-secrets.ts';
import { type CatalogueEntry, type CataloguePage, CatalogueServer, StoredCatalogue } from './catalogue.ts';
import { type FetchedCatalogue, fetchCatalogue } from './fetch-catalogue.ts';
import { readCatalogue } from './read-catalogue.ts';
import { waysToAdd } from './ways-to-add.ts';

export type UpdateReport = { from: string; at: number; servers: number; leftOut: number };

export type Catalogue = ReturnType<typeof openCatalogue>;

/** The servers that come with the product, and those of the last update, which is a file in the data folder. */
export function openCatalogue({ dataDir, clock }: { dataDir: string; clock: Clock }) {
  const path = join(dataDir, 'catalogue.json');
  const bundled = once(async () => {
    const { default: list } = await import('./catalogue.json', { with: { type: 'json' } });
    return list.servers.map((server) => CatalogueServer.parse(server));
  });
  let known: { version: string; stored: StoredCatalogue } | undefined;

  /** Reads the file again if another process has changed it. */
  async function stored(): Promise<StoredCatalogue | undefined> {
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file) return undefined;
    const version = `${file.mtimeMs} ${file.size} ${file.ino}`;
    if (known?.version === version) return known.stored;
    try {
      const read = parseWith(StoredCatalogue, JSON.parse(await readFile(path, 'utf8')));
      // An earlier release may have kept servers that this one does not offer.
      const usable = { ...read, servers: read.servers.filter((server) => waysToAdd(server).length > 0) };
      known = { version, stored: usable };
      return usable;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new HubError(
        'INVALID_FORMAT',
        `The catalogue in ${path} cannot be read: ${reason.slice(0, 300)} Update the catalogue again, or remove the file.`,
        { cause: error },
      );
    }
  }

  function save(from: string, { servers, leftOut, problem }: FetchedCatalogue): UpdateReport {
    if (servers.length === 0 && problem) throw problem;
    if (servers.length === 0)
      throw new HubError('INVALID_FORMAT', `The list from ${from} has no server that the hub can run or reach.`);
    const at = clock.now();
    // A later entry replaces an earlier one of the same name.
    const unique = [...new Map(servers.map((server) => [server.name, server])).values()];
    replacePrivateFile(path, JSON.stringify({ from, at, servers: unique } satisfies StoredCatalogue));
    return { from, at, servers: unique.length, leftOut };
  }

  return {
    async search(query: string, limit: number): Promise<CataloguePage> {
      const update = await stored();
      const own = await bundled();
      // Anybody can publish a list, so it never replaces a server that was reviewed.
      const names = new Set(own.map(({ name }) => name));
      const added = update?.servers.filter(({ name }) => !names.has(name)) ?? [];
      const all = [
        ...own.map((server): CatalogueEntry => ({ server, isBundled: true })),
        ...added.map((server): CatalogueEntry => ({ server, isBundled: false })),
      ];
      const found = rank(all, query);
      const updated = update ? { from: update.from, at: update.at } : null;
      return { entries: found.slice(0, limit), matches: found.length, size: all.length, updated };
    },
    /** Fetches a list and replaces the last update. A failure changes nothing. */
    async updateFromUrl(url: string, signal: AbortSignal): Promise<UpdateReport> {
      return save(maskAddress(url), await fetchCatalogue(url, signal));
    },
    /** Does the same with the text of a file. */
    updateFromText(text: string, from: string): UpdateReport {
      return save(from, readCatalogue(text));
    },
  };
}

/** Sorts by the best place in which every word of the query occurs: the title, the name, then the rest. Otherwise keeps the order. */
function rank(entries: readonly CatalogueEntry[], query: string): readonly CatalogueEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const scored = entries.flatMap((entry) => {
    const { title = '', name, description, packages } = entry.server;
    const places = [title, name, `${description} ${packages.map(({ identifier }) => identifier).join(' ')}`];
    const lower = places.map((place) => place.toLowerCase());
    const scores = words.map((word) => {
      const place = lower.findIndex((each) => each.includes(word));
      return place === 0 && lower[0]?.startsWith(word) ? -1 : place === -1 ? Number.NaN : place;
    });
    return scores.some(Number.isNaN) ? [] : [{ entry, score: Math.max(...scores) }];
  });
  return scored.toSorted((one, other) => one.score - other.score).map(({ entry }) => entry);
}

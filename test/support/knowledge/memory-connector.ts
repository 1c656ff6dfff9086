import { HubError } from '../../../src/base/hub-error.ts';
import type { Connector, ScannedItem, SkipReason } from '../../../src/knowledge/connector.ts';

interface MemoryItem extends Partial<Omit<ScannedItem, 'sourceId' | 'read'>> {
  text: string;
}

/** A source whose items a test sets. It records which items are read. */
export interface MemoryConnector extends Connector {
  items: Record<string, MemoryItem>;
  /** Items that cannot be read, with the reason. */
  lost: Record<string, string>;
  /** Folders that cannot be read, with the reason. */
  lostFolders: Record<string, string>;
  /** Skipped files and folders. Folders end with a slash. */
  leftOut: Record<string, SkipReason>;
  /** Thrown at the end of the scan. */
  scanError: Error | undefined;
  /** The ids of items read since the test last cleared it. */
  reads: string[];
  onRead: (sourceId: string, signal: AbortSignal) => Promise<void> | void;
}

export function memoryConnector(texts: Record<string, string> = {}, name = 'memory'): MemoryConnector {
  const items = Object.fromEntries(Object.entries(texts).map(([sourceId, text]) => [sourceId, { text }]));
  const connector: MemoryConnector = {
    type: 'script',
    name,
    location: 'memory',
    items,
    lost: {},
    lostFolders: {},
    leftOut: {},
    scanError: undefined,
    reads: [],
    onRead: () => {},
    async *scan({ fail, failFolder, skip }) {
      for (const [path, message] of Object.entries(connector.lostFolders)) failFolder(path, message);
      for (const [path, reason] of Object.entries(connector.leftOut)) {
        skip(path.replace(/\/$/, ''), reason, { isFolder: path.endsWith('/') });
      }
      for (const [sourceId, message] of Object.entries(connector.lost)) fail(sourceId, message);
      for (const [sourceId, { text, version, updatedAt, url, ...rest }] of Object.entries(connector.items)) {
        yield {
          sourceId,
          version: version ?? text,
          updatedAt: updatedAt ?? 1_000,
          url: url ?? null,
          ...rest,
          async read(signal) {
            connector.reads.push(sourceId);
            await connector.onRead(sourceId, signal);
            if (text === 'UNREADABLE') throw new HubError('UNAVAILABLE', 'It is locked.');
            if (text === 'BROKEN') throw new TypeError('no such thing');
            return text;
          },
        };
      }
      if (connector.scanError) throw connector.scanError;
    },
  };
  return connector;
}

import { expect, it } from 'vitest';
import type { FolderBody } from '../../../src/settings/app-settings.ts';
import { type FolderState, folderState } from './folder-state.ts';

const trustedAt = '2026-11-18T12:00:00.000Z';
const part = (state: FolderBody['parts'][number]['state']) => ({
  key: 'mcp_servers.files',
  state,
  description: 'Starts "node".',
  text: '',
  changes: [],
  files: [],
});
const empty: FolderBody = {
  folder: '/code/shop',
  file: '/code/shop/zoo.toml',
  isHub: true,
  trustedAt: null,
  parts: [],
  gone: [],
  isDeclined: false,
  seen: '1',
  problem: null,
};

it.each<[string, Partial<FolderBody>, FolderState]>([
  ['all of whose parts are trusted', { trustedAt, parts: [part('trusted')] }, 'trusted'],
  ['with a new part', { parts: [part('new')] }, 'waiting'],
  ['with a changed part', { trustedAt, parts: [part('trusted'), part('changed')] }, 'waiting'],
  ['that only lacks what was trusted', { trustedAt, gone: ['mcp_servers.files'] }, 'waiting'],
  ['with a part that was refused', { parts: [part('new')], isDeclined: true }, 'declined'],
  ['with nothing that needs trust', {}, 'harmless'],
  ['that was trusted and has no config any more', { trustedAt, file: null }, 'empty'],
  ['that cannot be read', { trustedAt, file: null, problem: 'Line 1 is not TOML.' }, 'broken'],
])('a folder %s', (_what, change, state) => {
  expect(folderState({ ...empty, ...change })).toBe(state);
});

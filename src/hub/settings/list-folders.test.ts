import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderPlaces, listFolders } from './list-folders.ts';

let dir: string;
let home: string;
let places: FolderPlaces;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-folders-')));
  home = join(dir, 'ada');
  const folders = [
    'ada/notes/2025',
    'ada/Code',
    'ada/notes10',
    'ada/notes9',
    'ada/.ssh/keys',
    'ada/data',
    'work',
    'bob',
  ];
  for (const folder of folders) await mkdir(join(dir, folder), { recursive: true });
  await writeFile(join(home, 'letter.txt'), 'private');
  places = { home, dataDir: join(home, 'data'), others: [join(dir, 'work')] };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const namesIn = async (path?: string) => (await listFolders(places, path)).folders.map(({ name }) => name);

describe('the folders of the machine', () => {
  it('the first list is the home: folders only, in reading order, without hidden ones and the data of the hub', async () => {
    expect(await listFolders(places)).toEqual({
      path: home,
      parent: null,
      places: [
        { name: 'Home', path: home },
        { name: 'work', path: join(dir, 'work') },
      ],
      folders: ['Code', 'notes', 'notes9', 'notes10'].map((name) => ({ name, path: join(home, name) })),
      isCut: false,
    });
  });

  it('a folder below a place names its parent, and ~ is the home', async () => {
    const opened = { path: join(home, 'notes'), parent: home, folders: [{ name: '2025' }] };
    expect(await listFolders(places, join(home, 'notes'))).toMatchObject(opened);
    expect(await listFolders(places, '~/notes/')).toMatchObject(opened);
    expect(await listFolders(places, join(dir, 'work'))).toMatchObject({ parent: null, folders: [] });
  });

  it('the data of the hub in the home of its user leaves the other folders to choose from', async () => {
    const service = { ...places, dataDir: home };
    expect(await listFolders(service)).toMatchObject({
      path: join(dir, 'work'),
      places: [{ name: 'work', path: join(dir, 'work') }],
    });
    await expect(listFolders({ ...service, others: [] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There are no folders to choose from. Type the path instead.',
    });
  });

  it.each([
    ['a folder outside the places', () => join(dir, 'bob')],
    ['the folder above the home', () => join(home, '..')],
    ['a folder that does not exist, outside the places', () => join(dir, 'bob', 'secret')],
    ['a hidden folder', () => join(home, '.ssh')],
    ['a folder in a hidden one', () => join(home, '.ssh', 'keys')],
    ['the data of the hub', () => join(home, 'data')],
  ])('%s is refused', async (_what, path) => {
    await expect(listFolders(places, path())).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('a link is listed and followed only if it leads to a folder that can be listed', async () => {
    await symlink(join(home, 'notes'), join(home, 'inside'));
    await symlink(join(dir, 'bob'), join(home, 'outside'));
    await symlink(join(home, '.ssh'), join(home, 'to-hidden'));
    await symlink(join(home, 'letter.txt'), join(home, 'to-file'));
    await symlink(join(home, 'nowhere'), join(home, 'broken'));
    expect(await namesIn()).toEqual(['Code', 'inside', 'notes', 'notes9', 'notes10']);
    for (const name of ['outside', 'to-hidden'])
      await expect(listFolders(places, join(home, name))).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await listFolders(places, join(home, 'inside'))).toMatchObject({ path: join(home, 'notes') });
  });

  it('a file and a missing folder are named in the error', async () => {
    const missing = join(home, 'missing');
    await expect(listFolders(places, missing)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(missing),
    });
    await expect(listFolders(places, join(home, 'letter.txt'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a place that is gone is not offered', async () => {
    await rm(join(dir, 'work'), { recursive: true });
    expect((await listFolders(places)).places).toEqual([{ name: 'Home', path: home }]);
  });

  it('a very long list is cut, and says so', async () => {
    expect(await listFolders(places, home, { max: 2 })).toMatchObject({ folders: [{}, {}], isCut: true });
  });
});

import { expect, it } from 'vitest';
import { readMounts, remoteKindOf } from './remote-folder.ts';

const mounts = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:26 / /mnt/share rw,relatime shared:2 - nfs4 server:/export rw',
  '31 30 8:2 / /mnt/share/local rw - xfs /dev/sdb1 rw',
  '32 22 0:27 / /home/me/with\\040space rw - cifs //server/x rw',
  '33 22 0:28 / /mnt/c rw - 9p drvfs rw',
  '34 22 0:29 / /remote rw - fuse.sshfs me@host: rw',
  '35 22 0:30 / /covered rw - ext4 /dev/sdc1 rw',
  '36 35 0:31 / /covered rw - nfs server:/over rw',
].join('\n');

it.each([
  ['/home/me/.agent-zoo', undefined],
  ['/mnt/share/zoo', 'on a network file system (NFS)'],
  ['/mnt/share', 'on a network file system (NFS)'],
  ['/mnt/shared', undefined],
  ['/mnt/share/local/zoo', undefined],
  ['/home/me/with space/zoo', 'on a network file system (SMB)'],
  ['/mnt/c/Users/me', 'on a network file system (9p)'],
  ['/remote/zoo', 'on a network file system (SSHFS)'],
  ['/covered/zoo', 'on a network file system (NFS)'],
  ['/home/me/Dropbox/zoo', 'in a folder that Dropbox synchronizes'],
  ['/home/me/OneDrive - Firm/zoo', 'in a folder that OneDrive synchronizes'],
])('the folder %s is %s', (folder, kind) => {
  expect(remoteKindOf(folder, mounts)).toBe(kind);
});

it('without a list of mounts, only folder names count', async () => {
  expect(remoteKindOf('/mnt/share', '')).toBeUndefined();
  expect(await readMounts()).toEqual(expect.any(String));
});

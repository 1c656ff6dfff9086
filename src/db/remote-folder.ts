import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';

const networkTypes: Readonly<Record<string, string>> = {
  nfs: 'NFS',
  nfs4: 'NFS',
  cifs: 'SMB',
  smb3: 'SMB',
  smbfs: 'SMB',
  '9p': '9p',
  afs: 'AFS',
  ceph: 'Ceph',
  glusterfs: 'GlusterFS',
  lustre: 'Lustre',
  ncpfs: 'NCP',
  vboxsf: 'VirtualBox shared folders',
  'fuse.sshfs': 'SSHFS',
  'fuse.rclone': 'rclone',
  'fuse.s3fs': 's3fs',
  'fuse.gcsfuse': 'gcsfuse',
  'fuse.glusterfs': 'GlusterFS',
  'fuse.davfs': 'WebDAV',
};

/** Names of folders that programs sync to a cloud while the files in them are open. */
const syncedFolders: readonly [name: RegExp, service: string][] = [
  [/^Dropbox( \(.*\))?$/, 'Dropbox'],
  [/^OneDrive( - .*)?$/, 'OneDrive'],
  [/^(Google Drive|GoogleDrive-.*)$/, 'Google Drive'],
  [/^Mobile Documents$/, 'iCloud Drive'],
];

/** Describes why a folder is a bad location for a SQLite file; undefined if it is not. `mounts` is the text of /proc/self/mountinfo. */
export function remoteKindOf(folder: string, mounts: string): string | undefined {
  const type = networkTypes[typeOfMount(folder, mounts) ?? ''];
  if (type !== undefined) return `on a network file system (${type})`;
  const parts = folder.split(sep);
  const service = syncedFolders.find(([name]) => parts.some((part) => name.test(part)))?.[1];
  return service && `in a folder that ${service} synchronizes`;
}

/** Returns the text of /proc/self/mountinfo, or an empty text if the system has no such file. */
export function readMounts(): Promise<string> {
  return readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
}

/** Returns the type of the innermost mount. Of several mounts at one point, the last one covers the others. */
function typeOfMount(folder: string, mounts: string): string | undefined {
  let found: { point: string; type: string | undefined } | undefined;
  for (const line of mounts.split('\n')) {
    // 36 35 98:0 /root /mount/point options optional fields - type source options
    const [left = '', right = ''] = line.split(' - ');
    const point = left
      .split(' ')[4]
      ?.replace(/\\(\d{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
    if (!point || !(point === '/' || folder === point || folder.startsWith(`${point}/`))) continue;
    if (!found || point.length >= found.point.length) found = { point, type: right.split(' ')[0] };
  }
  return found?.type;
}

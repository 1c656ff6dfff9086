import type { ServerVersion } from './servers.ts';

/** Says which processes see a version: "2.1.0 on web-1, web-2". */
export function versionWords({ version, replicas }: ServerVersion): string {
  return replicas.length === 0 ? version : `${version} on ${replicas.map(({ name }) => name).join(', ')}`;
}

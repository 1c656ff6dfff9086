import { resolve } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import { isFolder } from '../../base/private-files.ts';
import { realPath } from '../../base/real-path.ts';
import { applyConfig } from '../apply-config.ts';
import { findConfigFile, fromHome } from '../find-config.ts';
import { readConfig, showPath } from '../load-config.ts';
import { type ConfigTrust, namedConfig } from './config-trust.ts';
import type { FoundPlace } from './held-half.ts';

export interface InspectedFolder {
  /** The real path. */
  folder: string;
  /** Null if the folder has no config, or the one of the data folder. */
  file: string | null;
  trust: ConfigTrust;
}

/** Judges the config of a folder on this machine, whether or not a hub uses it. Throws NOT_FOUND, INVALID_CONFIG. */
export async function inspectFolder(
  path: string,
  { dataDir, home, lookUp }: Pick<FoundPlace, 'dataDir' | 'home' | 'lookUp'>,
): Promise<InspectedFolder> {
  const expanded = fromHome(path.trim(), home);
  const folder = realPath(resolve(home, expanded));
  if (!isFolder(folder)) throw new HubError('NOT_FOUND', `${folder} is not a folder on the hub's machine.`);
  const found = findConfigFile({ cwd: folder, env: { AGENT_ZOO_HOME: dataDir }, home });
  if (!found?.isFound) return { folder, file: null, trust: namedConfig };
  const { file, isImplied = false } = found;
  const shown = showPath(file, folder);
  const { text } = await readConfig({ file, isImplied }, shown);
  const place = { folder: found.folder, realFolder: realPath(found.folder), home, dataDir, lookUp };
  const { trust } = await applyConfig(text, { shown, folder: found.folder, home, lookUp, place });
  return { folder, file, trust };
}

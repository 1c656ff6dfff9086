import { HubError } from '../../base/hub-error.ts';
import { realPath } from '../../base/real-path.ts';
import type { ConfigDocument } from '../../config/config-document.ts';
import { fromHome } from '../../config/find-config.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { namedConfig } from '../../config/trust/config-trust.ts';
import { describePart, partText } from '../../config/trust/describe-part.ts';
import { type InspectedFolder, inspectFolder } from '../../config/trust/inspect-folder.ts';
import { partChanges } from '../../config/trust/part-changes.ts';
import { whyUnseen } from '../../config/trust/part-files.ts';
import { contentOf, isDeclined, trustConfig } from '../../config/trust/remember-trust.ts';
import { readTrustedFolders, saveTrustedFolder } from '../../config/trust/trusted-folders.ts';
import { trustItemId } from '../../inbox/inbox.ts';
import type { AppSettings, FolderBody } from '../../settings/app-settings.ts';
import type { Store } from '../../store/store.ts';
import { listFolders } from './list-folders.ts';

interface TrustParts {
  config: LoadedConfig;
  document: ConfigDocument;
  store: Pick<Store, 'dismissals'>;
}

/** The maximum number of characters of a folder's files in one reply. */
const maxTextLength = 4_000_000;
/** Files up to this size are shown, however many there are. */
const alwaysShown = 16_384;

/** The folders on this machine whose configs the user trusts. Every hub of the user shares them. */
export function folderTrust({
  config,
  document,
  store,
}: TrustParts): Pick<
  AppSettings,
  'heldConfig' | 'folders' | 'listFolders' | 'inspectFolder' | 'trustFolder' | 'untrustFolder'
> {
  const { dataDir, home } = config;
  const own = () => document.loaded.trust.folder;
  const inspect = (path: string) => inspectFolder(path, config);

  const trusted = () =>
    Object.entries(readTrustedFolders(dataDir))
      .filter(([, { trustedAt }]) => trustedAt !== null)
      .map(([folder]) => folder);

  return {
    async heldConfig() {
      const trust = document.trust();
      const parts = trust.held.length + trust.gone.length;
      if (trust.folder === null || parts === 0 || isDeclined(trust)) return undefined;
      const isChange = Object.keys(trust.trusted?.parts ?? {}).length > 0;
      const { folder } = trust;
      return { folder, file: document.loaded.file ?? folder, seen: contentOf(trust), isChange, parts };
    },
    listFolders: (path, signal) => listFolders({ home, dataDir, others: trusted() }, path, { signal }),
    async folders() {
      const known = trusted();
      const current = own();
      const all = current !== null && !known.includes(current) ? [current, ...known] : known;
      return Promise.all(
        all.map(async (folder) => {
          try {
            return await toBody(await inspect(folder));
          } catch (error) {
            const problem = error instanceof HubError ? error.message : 'The folder cannot be read.';
            return toBody({ folder, file: null, trust: namedConfig }, problem);
          }
        }),
      );
    },
    inspectFolder: async (path) => toBody(await inspect(path)),
    async trustFolder(path, seen) {
      const inspected = await inspect(path);
      if (inspected.file === null)
        throw new HubError('NOT_FOUND', `There is no config in ${inspected.folder}, so there is nothing to trust.`);
      if (contentOf(inspected.trust) !== seen)
        throw new HubError(
          'CONFLICT',
          `${inspected.folder} has changed since you reviewed it. Nothing was trusted. Review it again.`,
        );
      trustConfig(dataDir, inspected.trust);
      await document.reload();
      return toBody(await inspect(path));
    },
    async untrustFolder(path) {
      const folder = realPath(fromHome(path, home));
      if (!Object.hasOwn(readTrustedFolders(dataDir), folder))
        throw new HubError('NOT_FOUND', `${folder} is not trusted.`);
      saveTrustedFolder(dataDir, folder, undefined);
      await document.reload();
      return { folder };
    },
  };

  async function toBody(
    { folder, file, trust: found }: InspectedFolder,
    problem: string | null = null,
  ): Promise<FolderBody> {
    // A folder that was trusted stays trusted while its config is missing or broken.
    const trust = { ...found, trusted: found.trusted ?? readTrustedFolders(dataDir)[folder] };
    const seen = contentOf(trust);
    const declined = isDeclined(trust) || (await store.dismissals.among([trustItemId(seen)])).size > 0;
    let room = maxTextLength;
    return {
      folder,
      file,
      isHub: folder === own(),
      trustedAt: trust.trusted?.trustedAt ?? null,
      parts: trust.parts.map((part) => ({
        key: part.key,
        state: part.state,
        description: describePart(part),
        text: partText(part),
        changes: part.state === 'changed' ? partChanges(part, trust.trusted) : [],
        files: part.files.map((each) => {
          const size = each.text?.length ?? 0;
          // Large files before a small one must not keep it from being seen.
          const isSmall = size <= alwaysShown;
          if (!isSmall) room -= size;
          const shown = isSmall || room >= 0 ? each : { ...each, text: undefined };
          return { name: each.name, text: shown.text ?? null, problem: whyUnseen(shown) ?? null };
        }),
      })),
      gone: [...trust.gone],
      isDeclined: declined && trust.held.length + trust.gone.length > 0,
      seen,
      problem,
    };
  }
}

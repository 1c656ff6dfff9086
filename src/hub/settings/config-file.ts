import { HubError } from '../../base/hub-error.ts';
import { configHash, planChange, writeChange } from '../../config/edit/change-config.ts';
import { changedLines } from '../../config/edit/changed-lines.ts';
import { keyText, type TomlEdit } from '../../config/edit/edit-toml.ts';
import type { EditableConfig } from '../../settings/config-file.ts';
import { checkServer } from './check-server.ts';
import { valueAt } from './live-config.ts';
import { needsRestart, noConfigBeside, ownConfig, readConfigFacts, type SettingsParts } from './read-settings.ts';

/** The config file as the parts of the hub change it. After a change, the hub has read it again. */
export function editableConfig(parts: Pick<SettingsParts, 'config' | 'document' | 'live'>): EditableConfig {
  return {
    value: async (path) => valueAt((await readConfigFacts(parts)).raw, path),
    async plan(edits, { hash } = {}) {
      const { file, isCreated, trust } = await readConfigFacts(parts);
      if (!file && parts.config.isImplied) {
        const keys = edits.map(({ path }) => keyText(path)).join(', ');
        throw new HubError('CONFLICT', `${keys} can only be set in a config file. ${noConfigBeside(parts.config)}`);
      }
      const place = file && !isCreated ? { ...parts.config, trust } : { ...ownConfig(parts.config), trust };
      const change = await planChange(place, edits.map(toToml), { hash }).catch((error: unknown) => {
        if (!(error instanceof HubError) || error.code !== 'INVALID_CONFIG') throw error;
        const { details, message } = error;
        // A value that breaks a rule of the schema is the caller's mistake; a file that cannot be edited is not.
        const isMistake = details?.issues || /^Unknown /.test(message);
        throw new HubError(isMistake ? 'INVALID_ARGUMENTS' : 'CONFLICT', message, { cause: error });
      });
      if (edits.some(({ path: [section] }) => section === 'server'))
        await checkServer({ ...place, config: change.config });
      const restarts = !file || isCreated || edits.some(({ path }) => needsRestart(path.join('.')));
      const lines = changedLines(change.before, change.after);
      return {
        preview: {
          where: 'file',
          hash: configHash(change.file),
          creates: file ? null : change.file.shown,
          lines,
          needsRestart: restarts,
          deletes: [],
        },
        async apply() {
          const { isTrusted } = await writeChange(place, change);
          await parts.document.reload();
          await parts.live.refresh();
          return { where: 'file', isHeld: !isTrusted, needsRestart: restarts };
        },
      };
    },
  };
}

function toToml({ path, value }: Parameters<EditableConfig['plan']>[0][number]): TomlEdit {
  return value === null ? { kind: 'unset', path } : { kind: 'set', path, value };
}

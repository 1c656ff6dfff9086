import { implement, type Route } from '../http/route.ts';
import { maskAddress } from '../servers/mask-secrets.ts';
import type { AppSettings, SettingsChange } from './app-settings.ts';
import { settingsContract } from './settings.contract.ts';

export function settingsRoutes(settings: AppSettings): Route[] {
  return implement(settingsContract)({
    'GET /api/settings': () => settings.read(),
    'POST /api/settings/preview': ({ body: { change } }) => settings.preview(change),
    'POST /api/settings': async ({ act, body: { change, hash } }) => {
      Object.assign(act, describeChange(change));
      if (change.kind === 'values') act.before = await valuesNow(settings, change.values);
      const applied = await settings.apply(change, { hash });
      act.after = { ...Object(act.after), in: applied.where };
      return applied;
    },
    'POST /api/settings/webhooks/{name}/test': ({ params, signal }) => settings.testWebhook(params.name, signal),
    'POST /api/settings/peers/{name}/test': ({ params, signal }) => settings.testPeer(params.name, signal),
    'GET /api/folders': ({ query, signal }) => settings.listFolders(query.path, signal),
    'GET /api/trust': async () => ({ folders: await settings.folders() }),
    'GET /api/trust/folder': ({ query }) => settings.inspectFolder(query.folder),
    'POST /api/trust': async ({ act, body: { folder, seen } }) => {
      const trusted = await settings.trustFolder(folder, seen);
      act.target = trusted.folder;
      act.after = trusted.parts.map(({ key }) => key);
      return trusted;
    },
    'DELETE /api/trust': async ({ act, query }) => {
      act.target = (await settings.untrustFolder(query.folder)).folder;
    },
  });
}

async function valuesNow(settings: AppSettings, keys: readonly { key: string }[]): Promise<Record<string, unknown>> {
  const { settings: all } = await settings.read();
  const named = all.filter(({ key }) => keys.some((each) => each.key === key));
  return Object.fromEntries(named.map(({ key, value }) => [key, value]));
}

/** Describes a change for the log, without secrets. */
function describeChange(change: SettingsChange): { target: string; after: Record<string, unknown> } {
  if (change.kind === 'values') {
    const values = change.values.map(({ key, value }) => [key, value]);
    return { target: change.values.map(({ key }) => key).join(', '), after: Object.fromEntries(values) };
  }
  const entry = change.kind === 'webhook' ? change.webhook : change.peer;
  const kind = change.kind === 'webhook' ? 'events.webhooks' : 'a2a.peers';
  return {
    target: `${kind}.${change.name}`,
    after: entry === null ? { removed: true } : { url: maskAddress(entry.url) },
  };
}

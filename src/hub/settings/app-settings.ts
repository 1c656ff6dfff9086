import { z } from 'zod';
import { type Clock, toIso } from '../../base/clock.ts';
import { anchorEvent, eventTypes, isEventType } from '../../base/event-types.ts';
import { HubError } from '../../base/hub-error.ts';
import { keyText } from '../../config/edit/edit-toml.ts';
import { mask, maskAddress, maskText } from '../../servers/mask-secrets.ts';
import type { AppSettings, SettingsEdit, TestResult } from '../../settings/app-settings.ts';
import { type FileEdit, hubChange, type PlannedChange } from '../../settings/config-file.ts';
import type { Redact } from '../../tools/redact/redact.ts';
import type { Vault } from '../../vault/vault.ts';
import { editableConfig } from './config-file.ts';
import { deletedHistory } from './deleted-history.ts';
import { folderTrust } from './folder-trust.ts';
import { checkValue, isLiveKey, valueAt } from './live-config.ts';
import { needsRestart, readConfigFacts, readSettings, type SettingsParts } from './read-settings.ts';
import {
  type EntryKind,
  entryKinds,
  type StoredEntry,
  saveSecret,
  secretFor,
  storedEntries,
} from './stored-entries.ts';

interface AppSettingsParts extends SettingsParts {
  vault: Vault;
  clock: Clock;
  redact: Redact;
  /** Registers secrets that must never be written. */
  learn(secrets: readonly string[]): void;
}

const testMs = 10_000;

/** The settings of the hub: reads them with their origin, and writes each one to where it comes from. */
export function openAppSettings(parts: AppSettingsParts): AppSettings {
  const { clock, live } = parts;

  return {
    read: () => readSettings(parts),
    async preview(edit) {
      const { preview } = await planOf(parts, edit);
      return { ...preview, deletes: await deletedHistory(parts, edit, clock.now()) };
    },
    apply: async (edit, { hash } = {}) => (await planOf(parts, edit, hash)).apply(),
    async testWebhook(name, signal) {
      const { webhooks } = (await live.refresh()).events;
      const hook = Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
      if (!hook) throw unknownEntry('webhook', name);
      const { webhookSender } = await import('../../delivery/webhooks.ts');
      const send = webhookSender({ name, url: hook.url, secret: hook.secret, clock, timeoutMs: testMs });
      const now = clock.now();
      const event = { id: `test_${now}`, type: 'webhook.test', at: toIso(now), data: { message: 'A test.' } };
      return timed(clock, async () => {
        const sent = await send(event, signal);
        return sent.isDelivered
          ? { isOk: true, message: 'Delivered' }
          : { isOk: false, message: parts.redact(sent.error) };
      });
    },
    async testPeer(name, signal) {
      const { peers } = (await live.refresh()).a2a;
      const peer = Object.hasOwn(peers, name) ? peers[name] : undefined;
      if (!peer) throw unknownEntry('peer', name);
      const { remoteCorrespondent } = await import('../../a2a/correspondents.ts');
      return timed(clock, async () => {
        try {
          const limit = AbortSignal.any([signal, AbortSignal.timeout(testMs)]);
          const { card } = await remoteCorrespondent(name, peer, limit);
          return { isOk: true, message: `Connected: ${card.name.slice(0, 200)}` };
        } catch (error) {
          return { isOk: false, message: parts.redact(error instanceof Error ? error.message : String(error)) };
        }
      });
    },
    ...folderTrust(parts),
  };
}

/**
 * Decides where a change goes, and checks it. Writes nothing. A part of the file that is held does not count: it must neither collect
 * what the user enters nor keep a change from applying.
 */
async function planOf(parts: AppSettingsParts, edit: SettingsEdit, hash?: string): Promise<PlannedChange> {
  const facts = await readConfigFacts(parts);
  const paths = edit.kind === 'values' ? edit.values.map(({ key }) => key.split('.')) : [entryPath(edit)];
  const isFileOnly = (path: readonly string[]) => edit.kind === 'values' && !isLiveKey(path.join('.'));
  const inFile = paths.filter((path) => valueAt(facts.raw, path) !== undefined || isFileOnly(path));
  const keys = paths.map(keyText).join(', ');
  if (inFile.length > 0 && inFile.length < paths.length) {
    const message = `Some of these settings are in ${facts.file?.shown}, and others are not: ${keys}. Change them one by one.`;
    throw new HubError('INVALID_ARGUMENTS', message);
  }
  const entry = edit.kind === 'values' ? undefined : await entryNow(parts, edit);
  refuseUnknownEvents(edit, entry?.events);
  const known = entry?.url;
  if (inFile.length === 0) {
    const store = await storedChange(parts, edit, known);
    const storeAndRefresh = async () => {
      await store();
      await parts.live.refresh();
    };
    return hubChange(storeAndRefresh, { needsRestart: paths.some((path) => needsRestart(path.join('.'))) });
  }
  if (edit.kind !== 'values') {
    checkAddress(edit, { before: valueAt(facts.raw, entryPath(edit)), known });
    if (facts.file && facts.trust.folder !== null) refuseSecrets(edit, { known, file: facts.file.shown });
  }
  return editableConfig(parts).plan(fileEdits(edit, known), { hash });
}

type EntryEdit = Exclude<SettingsEdit, { kind: 'values' }>;

/** Returns the entry as it is now, its address with its secrets; undefined if there is no such entry. */
async function entryNow(
  { live, store }: AppSettingsParts,
  { kind, name }: EntryEdit,
): Promise<StoredEntry | undefined> {
  const { events, a2a } = await live.refresh();
  const entries = kind === 'webhook' ? events.webhooks : a2a.peers;
  if (Object.hasOwn(entries, name)) return entries[name];
  // A webhook that has lost its secret is not in use.
  return (await storedEntries(store.settings, kind)).find(([each]) => each === name)?.[1];
}

/** Throws if a webhook would choose an event that does not exist. Those that it had already may be of another version. */
function refuseUnknownEvents(edit: SettingsEdit, before: readonly string[] = []): void {
  const events = (edit.kind === 'webhook' && edit.webhook?.events) || [];
  const unknown = events.find((type) => !isEventType(type) && type !== anchorEvent && !before.includes(type));
  if (unknown === undefined) return;
  throw new HubError(
    'INVALID_ARGUMENTS',
    `There is no event "${unknown.slice(0, 100)}". Available: ${Object.keys(eventTypes).join(', ')}; or null for all.`,
  );
}

/** Whether the address is the one that was shown, without its secrets. Throws if it contains a mask but is another one. */
function isUnchanged(url: string, known: string | undefined): boolean {
  if (known !== undefined && url === maskAddress(known)) return true;
  if (!url.includes(mask) && !url.includes(encodeURI(mask))) return false;
  throw new HubError(
    'INVALID_ARGUMENTS',
    `url: "${mask}" stands for a secret that is not shown. To change the address, enter the whole new one.`,
  );
}

function secretOf(edit: EntryEdit): string | null | undefined {
  return edit.kind === 'webhook' ? edit.webhook?.secret : edit.peer?.token;
}

/** Throws if a secret would be written into a folder whose files others may see. */
function refuseSecrets(edit: EntryEdit, { known, file }: { known: string | undefined; file: string }): void {
  const entry = edit.kind === 'webhook' ? edit.webhook : edit.peer;
  if (entry === null) return;
  const [secret, { url }] = [secretOf(edit), entry];
  const isShown = typeof secret === 'string' && maskText(secret) !== secret;
  if (!isShown && (isUnchanged(url, known) || maskAddress(url) === url)) return;
  const example = edit.kind === 'webhook' ? 'WEBHOOK_SECRET' : 'PEER_TOKEN';
  throw new HubError(
    'INVALID_ARGUMENTS',
    `${keyText(entryPath(edit))} is in ${file}, in a working folder, and secrets are not written there. Enter an environment variable, such as \${${example}}, or remove the ${edit.kind} and add it again: its secret is then stored encrypted.`,
  );
}

/** Throws if an entry in the file would send its secret to a host other than the one it was entered for. */
function checkAddress(edit: EntryEdit, { before, known }: { before: unknown; known: string | undefined }): void {
  const entry = edit.kind === 'webhook' ? edit.webhook : edit.peer;
  const secret = valueAt(before, [edit.kind === 'webhook' ? 'secret' : 'bearer']);
  const hasHeaders = valueAt(before, ['headers']) !== undefined;
  if (entry === null || (secret === undefined && !hasHeaders) || isUnchanged(entry.url, known)) return;
  const isSameHost = known !== undefined && new URL(known).origin === new URL(entry.url).origin;
  const given = secretOf(edit);
  if (isSameHost || (given !== undefined && !hasHeaders)) return;
  const what = edit.kind === 'webhook' ? 'secret' : hasHeaders ? 'token and the headers, in the file,' : 'token';
  throw new HubError('INVALID_ARGUMENTS', `The new address has another host. Enter the ${what} for it, too.`);
}

/** Leaves an address as it is written that was not changed: it may consist of variables. */
function fileEdits(edit: SettingsEdit, known: string | undefined): FileEdit[] {
  if (edit.kind === 'values') return edit.values.map(({ key, value }) => ({ path: key.split('.'), value }));
  const path = entryPath(edit);
  const set = (key: string, value: FileEdit['value'] | undefined): FileEdit[] =>
    value === undefined ? [] : [{ path: [...path, key], value }];
  const entry = edit.kind === 'webhook' ? edit.webhook : edit.peer;
  if (entry === null) return [{ path, value: null }];
  const url = isUnchanged(entry.url, known) ? [] : set('url', entry.url);
  if ('events' in entry) return [...url, ...set('secret', entry.secret), ...set('events', entry.events)];
  return [...url, ...set('bearer', entry.token)];
}

/** Checks a change to what is stored in the database, and returns the function that makes it. */
async function storedChange(
  parts: AppSettingsParts,
  edit: SettingsEdit,
  known: string | undefined,
): Promise<() => Promise<void>> {
  if (edit.kind === 'values') {
    for (const { key, value } of edit.values) {
      const problem = value === null ? undefined : checkValue(key.split('.'), value);
      if (problem !== undefined) throw new HubError('INVALID_ARGUMENTS', `${key}: ${problem}.`);
    }
    const changes = edit.values.map(({ value, ...each }) => ({ ...each, ...(value !== null && { value }) }));
    return () => parts.store.settings.change(changes);
  }
  return entryChange(parts, edit, known);
}

async function entryChange(
  { store: { settings }, vault, learn }: AppSettingsParts,
  edit: EntryEdit,
  known: string | undefined,
): Promise<() => Promise<void>> {
  const { kind, name, seen } = edit;
  const path = entryPath(edit);
  const key = path.join('.');
  const entry = edit.kind === 'webhook' ? edit.webhook : edit.peer;
  if (entry === null) {
    if (!(await settings.read(key, z.unknown()))) throw unknownEntry(kind, name);
    return async () => {
      await settings.delete(key, seen);
      await saveSecret(vault, { kind, name }, null);
    };
  }
  const url = (isUnchanged(entry.url, known) ? known : undefined) ?? entry.url;
  const given = secretOf(edit);
  if (given) learn([given]);
  const secret = given ?? (given === null ? undefined : await secretFor(vault, kind, name, url));
  const events = 'events' in entry ? (entry.events ?? undefined) : undefined;
  const problem = checkValue(path, kind === 'webhook' ? { url, secret, events } : { url, bearer: secret });
  if (kind === 'webhook' && secret === undefined)
    throw new HubError('INVALID_ARGUMENTS', `Enter the secret that signs what is sent to ${new URL(url).host}.`);
  if (problem !== undefined) throw new HubError('INVALID_ARGUMENTS', `${key}: ${problem}.`);
  return async () => {
    const version = (await settings.read(key, z.unknown()))?.version ?? null;
    // Refuses a change to another version before it replaces the secret.
    if (seen === undefined || seen === version)
      await saveSecret(vault, { kind, name }, secret === undefined ? null : { url, secret });
    await settings.write(key, { url, ...(events && { events }) }, seen);
  };
}

function entryPath({ kind, name }: { kind: EntryKind; name: string }): string[] {
  return [...entryKinds[kind].path, name];
}

function unknownEntry(kind: EntryKind, name: string): HubError {
  return new HubError('NOT_FOUND', `There is no ${kind} "${name.slice(0, 80)}".`);
}

async function timed(clock: Clock, run: () => Promise<Omit<TestResult, 'milliseconds'>>): Promise<TestResult> {
  const begun = clock.now();
  const result = await run();
  return { ...result, milliseconds: Math.round(clock.now() - begun) };
}

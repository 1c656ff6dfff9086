import { z } from 'zod';
import { PeerName, WebhookName } from '../base/entry-names.ts';
import type { SeenVersion } from './settings.ts';

/** The single values that the app shows and changes, as keys of `zoo.toml`. */
export const settingKeys = [
  'server.bind',
  'server.public_url',
  'server.trusted_proxies',
  'server.cert',
  'server.key',
  'server.anonymous',
  'log.keep_days',
  'chats.keep_days',
  'runs.keep_days',
  'permissions.SUPERVISOR.allow',
  'permissions.SUPERVISOR.deny',
  'permissions.ORCHESTRATOR.allow',
  'permissions.ORCHESTRATOR.deny',
  'permissions.WORKER.allow',
  'permissions.WORKER.deny',
  'team.stalled_after_secs',
  'team.waiting_after_secs',
  'team.escalation_window_secs',
  'team.reconcile_every_secs',
] as const;
export type SettingKey = (typeof settingKeys)[number];

/** A hub reads these before it opens its database, so they can only be in the file. */
export const fileKeys = [
  'server.bind',
  'server.public_url',
  'server.trusted_proxies',
  'server.cert',
  'server.key',
] as const satisfies readonly SettingKey[];

/** Where a value comes from. */
const SettingOrigin = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    line: z.int().nullable().describe('Null if the value is inside another one.'),
  }),
  z.object({ kind: z.literal('hub') }).describe('Set in the app, and stored in the database.'),
  z.object({ kind: z.literal('environment'), name: z.string() }),
  z.object({ kind: z.literal('default') }),
]);
export type SettingOrigin = z.infer<typeof SettingOrigin>;

const SettingValue = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(1_000)).max(1_000),
]);
export type SettingValue = z.infer<typeof SettingValue>;

const version = z
  .int()
  .nullable()
  .describe('The version of the stored value; null if none is stored. Send it as "seen" with a change.');

const SettingBody = z.object({
  key: z.enum(settingKeys),
  version,
  value: SettingValue.nullable().describe('The value that applies; null if there is none.'),
  default: SettingValue.nullable(),
  origin: SettingOrigin,
  needsRestart: z.boolean().describe('Whether a change applies only after the hub restarts.'),
  isPending: z.boolean().describe('Whether it was changed since the hub started, and waits for a restart.'),
  readOnly: z.string().nullable().describe('Why the app cannot change it.'),
  heldLine: z
    .int()
    .nullable()
    .describe('The line of a value in the file that does not apply, because it is not trusted.'),
});
export type SettingBody = z.infer<typeof SettingBody>;

const WebhookBody = z.object({
  name: z.string(),
  version,
  url: z.string().describe('Without a password.'),
  events: z.array(z.string()).nullable().describe('Null for all events.'),
  receivesAnchors: z
    .boolean()
    .describe('Whether `[log] anchor_webhook` names it, so that it also receives the anchors of the log.'),
  origin: SettingOrigin,
  lacksSecret: z
    .boolean()
    .describe('Whether the secret was lost or was entered for another address, so that nothing is sent.'),
  last: z
    .object({
      at: z.iso.datetime(),
      state: z.enum(['pending', 'done', 'dead']),
      attempts: z.int(),
      error: z.string().nullable(),
    })
    .nullable()
    .describe('The newest delivery.'),
});
export type WebhookBody = z.infer<typeof WebhookBody>;

const PeerBody = z.object({
  name: z.string(),
  version,
  url: z.string().describe('Without a password.'),
  hasToken: z.boolean(),
  headers: z.array(z.string()).describe('The names of further headers.'),
  origin: SettingOrigin,
});
export type PeerBody = z.infer<typeof PeerBody>;

/** Everything that the settings screen shows. */
export const SettingsBody = z.object({
  file: z
    .object({
      name: z.string(),
      path: z.string(),
      hash: z.string().describe('Identifies the content. A change that was made for another content is refused.'),
      held: z.array(z.string()).describe('The parts that do not apply until you trust them.'),
      folder: z
        .string()
        .nullable()
        .describe('The folder to trust; null if the file was named, so that it applies as a whole.'),
      problem: z.string().nullable().describe('Why the file is invalid. The last valid version applies.'),
    })
    .nullable(),
  database: z.object({ place: z.string(), origin: SettingOrigin }),
  settings: z.array(SettingBody),
  webhooks: z.array(WebhookBody),
  peers: z.array(PeerBody),
});
export type SettingsBody = z.infer<typeof SettingsBody>;

const address = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .describe('To keep the address, send it as it was returned, with its secrets masked.');
const seen = z
  .int()
  .nullable()
  .optional()
  .describe('The version that the change was made for. If the stored one is another, nothing changes.');
const secret = z.string().min(8).max(500);

/** One change to the settings. Null removes. */
const changes = [
  z.strictObject({
    kind: z.literal('values'),
    values: z
      .array(z.strictObject({ key: z.enum(settingKeys), value: SettingValue.nullable(), seen }))
      .min(1)
      .max(settingKeys.length),
  }),
  z.strictObject({
    kind: z.literal('webhook'),
    name: WebhookName,
    seen,
    webhook: z
      .strictObject({
        url: address,
        events: z
          .array(z.string().max(100))
          .max(50)
          .nullable()
          .describe(
            'Null for all events of the team. With none, it receives only the anchors of the log, if it is named for them.',
          ),
        secret: secret.optional().describe('Required for a new webhook, and when the host changes.'),
      })
      .nullable(),
  }),
  z.strictObject({
    kind: z.literal('peer'),
    name: PeerName,
    seen,
    peer: z
      .strictObject({
        url: address,
        token: z.string().min(1).max(10_000).nullable().optional().describe('Null removes the token.'),
      })
      .nullable(),
  }),
] as const;
export const SettingsChange = z.discriminatedUnion('kind', changes);
export type SettingsChange = z.infer<typeof SettingsChange>;

/** What a change would do. */
export const SettingsPreview = z.object({
  where: z.enum(['file', 'hub']),
  hash: z.string().nullable().describe('Of the file that would be changed.'),
  creates: z.string().nullable().describe('The config file that would be created, because the hub has none.'),
  lines: z
    .array(z.object({ kind: z.enum(['added', 'removed']), line: z.int(), text: z.string() }))
    .describe('The lines of the file that would change. Secrets are masked.'),
  needsRestart: z.boolean(),
  deletes: z
    .array(z.object({ what: z.enum(['log', 'runs', 'chats']), count: z.int() }))
    .describe(
      'What a running hub would delete for good, within `team.reconcile_every_secs`: calls in the log, runs and chats.',
    ),
});
export type SettingsPreview = z.infer<typeof SettingsPreview>;

export const AppliedSettings = z.object({
  where: z.enum(['file', 'hub']),
  isHeld: z.boolean().describe('Whether the change does not apply yet, because the file is not trusted.'),
  needsRestart: z.boolean(),
});
export type AppliedSettings = z.infer<typeof AppliedSettings>;

export const TestResult = z.object({
  isOk: z.boolean(),
  message: z.string(),
  milliseconds: z.int(),
});
export type TestResult = z.infer<typeof TestResult>;

const FolderPart = z.object({
  key: z.string(),
  state: z.enum(['trusted', 'new', 'changed']),
  description: z.string(),
  text: z.string().describe('The whole part as TOML, with secrets masked.'),
  changes: z
    .array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() }))
    .describe('All lines that differ from what was trusted.'),
  files: z
    .array(
      z.object({
        name: z.string(),
        text: z.string().nullable(),
        problem: z.string().nullable().describe('Why there is no text, and where the file is.'),
      }),
    )
    .describe('The files that it runs.'),
});

/** What the config of a folder may do, or would do if it were trusted. */
export const FolderBody = z.object({
  folder: z.string(),
  file: z.string().nullable(),
  isHub: z.boolean().describe('Whether this hub uses the config of this folder.'),
  trustedAt: z.iso.datetime().nullable(),
  parts: z.array(FolderPart),
  gone: z.array(z.string()).describe('What was trusted and is no longer in the file.'),
  isDeclined: z.boolean().describe('Whether you chose not to trust what waits.'),
  seen: z.string().describe('Identifies what is shown here. Only this becomes trusted.'),
  problem: z.string().nullable(),
});
export type FolderBody = z.infer<typeof FolderBody>;

/** What the hub's config would do, and the user has neither trusted nor declined. */
export interface HeldConfig {
  folder: string;
  file: string;
  /** Identifies what is held. */
  seen: string;
  /** Whether the user has trusted an earlier content. */
  isChange: boolean;
  /** The number of parts that wait. */
  parts: number;
}

const NamedFolder = z.object({ name: z.string(), path: z.string() });

/** The folders in a folder on the hub's machine. */
export const FolderList = z.object({
  path: z.string(),
  parent: z.string().nullable().describe('Null if it cannot be listed.'),
  places: z.array(NamedFolder).describe('Where folders can be listed: the home folder and trusted folders.'),
  folders: z.array(NamedFolder),
  isCut: z.boolean().describe('Whether there are more folders than listed.'),
});
export type FolderList = z.infer<typeof FolderList>;

/** The settings as the surfaces see them. */
export interface AppSettings {
  read(): Promise<SettingsBody>;
  /** Throws as `apply`, and changes nothing. */
  preview(change: SettingsEdit): Promise<SettingsPreview>;
  /**
   * Writes into the config file what is already there, and stores everything else in the database. Throws INVALID_ARGUMENTS for a wrong
   * value, CONFLICT if the file has changed or cannot be edited, and NOT_FOUND for something that does not exist.
   */
  apply(change: SettingsEdit, options?: { hash?: string | undefined }): Promise<AppliedSettings>;
  testWebhook(name: string, signal: AbortSignal): Promise<TestResult>;
  testPeer(name: string, signal: AbortSignal): Promise<TestResult>;
  /** Returns what is held of the hub's own config, unless the user has declined it. */
  heldConfig(): Promise<HeldConfig | undefined>;
  folders(): Promise<FolderBody[]>;
  /** Lists the folders in a folder on the hub's machine, by default in the home folder. Throws INVALID_ARGUMENTS, NOT_FOUND. */
  listFolders(path: string | undefined, signal: AbortSignal): Promise<FolderList>;
  inspectFolder(path: string): Promise<FolderBody>;
  /** Throws CONFLICT if the folder is not as it was shown. */
  trustFolder(path: string, seen: string): Promise<FolderBody>;
  untrustFolder(path: string): Promise<{ folder: string }>;
}

/** As `SettingsChange`, with any key of the config file: the command line can change all of them. */
export type SettingsEdit =
  | Exclude<SettingsChange, { kind: 'values' }>
  | { kind: 'values'; values: readonly { key: string; value: SettingValue | null; seen?: SeenVersion }[] };

import { z } from 'zod';

const globs = z.array(z.string().min(1).max(200)).max(1_000);

/** `[permissions.WORKER] allow, deny`: a list that is given takes the place of the default one. */
const RulesConfig = z.looseObject({ allow: globs.optional(), deny: globs.optional() });

export const PermissionsConfig = z.looseObject({
  SUPERVISOR: RulesConfig.prefault({}),
  ORCHESTRATOR: RulesConfig.prefault({}),
  WORKER: RulesConfig.prefault({}),
});
export type PermissionsConfig = z.infer<typeof PermissionsConfig>;

const seconds = (most: number) => z.number().min(1).max(most);
const week = 7 * 24 * 3_600;

export const TeamConfig = z.looseObject({
  /** A member with a task in progress that made no call for so long is stalled: its task is returned. */
  stalled_after_secs: seconds(week).default(1_800),
  /** A task that waits so long (not begun, in review, blocked) is told up the line. */
  waiting_after_secs: seconds(4 * week).default(86_400),
  /** The same fault again within this time is counted, not mailed. */
  escalation_window_secs: seconds(week).default(600),
  /** How often the hub looks for what is stalled. */
  reconcile_every_secs: seconds(3_600).default(30),
});

export const LogConfig = z.looseObject({
  /** Entries older than this are deleted; without it everything is kept. */
  keep_days: z.number().positive().max(36_500).optional(),
  /** Environment variables whose values are never written; those named like a secret need not be named. */
  secret_env: z.array(z.string().min(1).max(200)).max(200).default([]),
});

const WebhookConfig = z.looseObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Signs every delivery. */
  secret: z
    .string()
    .min(8)
    .max(500)
    .refine((text) => /^(?!whsec_)|^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text), 'must be base64 after whsec_'),
  /** All when it is missing. */
  events: z.array(z.string().min(1).max(100)).max(50).optional(),
});

export const EventsConfig = z.looseObject({
  webhooks: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,50}$/), WebhookConfig).default({}),
  inngest: z
    .looseObject({
      event_key: z.string().min(1).max(500),
      url: z.url({ protocol: /^https?$/ }).default('https://inn.gs'),
    })
    .optional(),
});
export type EventsConfig = z.infer<typeof EventsConfig>;

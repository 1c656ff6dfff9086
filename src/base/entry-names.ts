import { z } from 'zod';

/** The name of a webhook: of `[events.webhooks.NAME]`, and in the app. */
export const WebhookName = z.string().regex(/^[A-Za-z0-9_-]{1,50}$/, 'must be 1 to 50 letters, digits, "_" or "-"');

/** The name of a peer: of `[a2a.peers.NAME]`, and in the app. */
export const PeerName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must be 1 to 64 letters, digits, "_", "." or "-", and begin with a letter or digit',
  );

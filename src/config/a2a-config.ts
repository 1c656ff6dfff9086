import { z } from 'zod';

/** `[a2a.peers.NAME]`: an agent elsewhere that speaks A2A. */
const PeerConfig = z.looseObject({
  /** Where its card is, or the address before `/.well-known/agent-card.json`. */
  url: z.url({ protocol: /^https?$/ }),
  /** Sent as `Authorization: Bearer …`. */
  bearer: z.string().min(1).max(10_000).optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(10_000)).default({}),
});

export const A2aConfig = z.looseObject({
  peers: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/), PeerConfig).default({}),
});

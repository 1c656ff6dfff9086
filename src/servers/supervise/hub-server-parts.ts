import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Redact } from '../../tools/redact/redact.ts';
import type { Vault } from '../../vault/vault.ts';
import type { LookUp } from '../fill-definition.ts';
import type { ServerStore } from '../server-store.ts';
import type { ConnectServer } from './server-connection.ts';

/** What an external server of the hub needs. */
export interface HubServerParts {
  store: ServerStore;
  vault: Vault;
  connect: ConnectServer;
  clock: Clock;
  random: () => number;
  logger: Logger;
  redact: Redact;
  /** Called with secrets that must never appear in a log: tools of the server may repeat them. */
  learn?: ((secrets: readonly string[]) => void) | undefined;
  lookUp: LookUp;
  redirectUrl?: string | undefined;
  /** The name under which this process is recorded as one that sees a server; null for a command that ends soon. */
  holder: string | null;
  /** The name under which this process switches servers on and off. */
  process: string;
  /** Whether this process connects servers before they are used. */
  canStartAtBoot: boolean;
  /** Called when the state, the tools or only the log changed. */
  onChange(isLogOnly: boolean): void;
}

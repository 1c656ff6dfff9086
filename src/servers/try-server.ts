import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { ServerTrial } from './servers.ts';
import type { ConnectServer, CredentialStore } from './supervise/server-connection.ts';
import { within } from './supervise/within.ts';

export interface TryServerOptions {
  connect: ConnectServer;
  clock: Clock;
  logger: Logger;
  name: string;
  /** Filled. */
  definition: ServerDefinition;
  credentials: CredentialStore | undefined;
  redirectUrl?: string | undefined;
  signal: AbortSignal;
}

/** Connects, lists and ends it; nothing is kept. Throws what connecting throws. */
export async function tryServer(options: TryServerOptions): Promise<ServerTrial> {
  const { connect, clock, logger, name, definition, credentials, redirectUrl, signal } = options;
  const begun = clock.now();
  const connection = await connect({ name, definition, signal, logger, onLog: () => {}, credentials, redirectUrl });
  try {
    const milliseconds = definition.connectTimeoutMs;
    const late = () =>
      new HubError('TIMEOUT', `The server "${name}" did not list its tools within ${milliseconds / 1_000} s.`);
    const tools = await within({ clock, milliseconds, late, signal, what: `the server "${name}"` }, (listing) =>
      connection.listTools({ signal: listing }),
    );
    const { serverInfo, protocolVersion, instructions } = connection.greeting;
    return {
      serverName: serverInfo.name,
      serverVersion: serverInfo.version,
      protocolVersion,
      instructions: instructions ?? null,
      tools,
      durationMs: clock.now() - begun,
    };
  } finally {
    await connection.close();
  }
}

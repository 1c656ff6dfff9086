import { HubError } from '../../base/hub-error.ts';
import type { ConnectOptions, ConnectServer, ServerConnection } from '../../servers/supervise/server-connection.ts';

/** Connects to an external MCP server and completes the handshake. */
export const connectServer: ConnectServer = async (options: ConnectOptions): Promise<ServerConnection> => {
  const { name, signal, definition } = options;
  if (signal.aborted) throw cancelled(name);
  // The SDK is loaded with the first connection.
  const { LiveConnection } = await import('./live-connection.ts');
  const connection = new LiveConnection(options);
  let stop: ((error: HubError) => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const timer = setTimeout(() => stop?.(tooSlow(name, definition.connectTimeoutMs)), definition.connectTimeoutMs);
  const onAbort = () => stop?.(cancelled(name));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await Promise.race([connection.open(), stopped]);
    return connection;
  } catch (error) {
    await connection.close();
    throw connection.explain(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
};

function tooSlow(name: string, limitMs: number): HubError {
  return new HubError(
    'TIMEOUT',
    `Server "${name}" did not complete the handshake within ${limitMs} ms (connect_timeout_ms).`,
    {
      details: { server: name },
    },
  );
}

function cancelled(name: string): HubError {
  return new HubError('CANCELLED', `Connecting to server "${name}" was cancelled.`, { details: { server: name } });
}

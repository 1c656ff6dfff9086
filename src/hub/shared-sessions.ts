import { HubError } from '../base/hub-error.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import type { ToolConnection } from '../tools/tool-client.ts';

interface Shared {
  session: ChatSession | undefined;
  /** Ends when the call before the next one is answered. */
  turn: Promise<void>;
}

/** One conversation for each connection of a client: its calls follow each other, and it is closed with the connection. */
export class SharedSessions {
  readonly #shared = new Map<ToolConnection, Shared>();

  /** Waits for its turn; the first call opens the session. Throws CANCELLED, and as `open` and `work` do. */
  async use<T>(
    connection: ToolConnection,
    call: { signal: AbortSignal; open(): Promise<ChatSession>; work(session: ChatSession): Promise<T> },
  ): Promise<T> {
    const shared = this.#shared.get(connection) ?? this.#share(connection);
    const { promise: answered, resolve: giveTurn } = Promise.withResolvers<void>();
    const myTurn = shared.turn;
    shared.turn = Promise.all([myTurn, answered]).then(() => {});
    try {
      await untilAborted(call.signal, () => myTurn);
      shared.session ??= await call.open();
      // The client left while it was opened: nobody else would close it.
      if (connection.signal.aborted) await shared.session.close();
      return await call.work(shared.session);
    } catch (error) {
      throw call.signal.aborted ? new HubError('CANCELLED', 'The call was cancelled.', { cause: error }) : error;
    } finally {
      giveTurn();
    }
  }

  /** Each one after the calls that wait for it. */
  async close(): Promise<void> {
    const all = [...this.#shared.values()];
    this.#shared.clear();
    await Promise.all(all.map((shared) => shared.turn.then(() => shared.session?.close())));
  }

  #share(connection: ToolConnection): Shared {
    const shared: Shared = { session: undefined, turn: Promise.resolve() };
    this.#shared.set(connection, shared);
    const end = () => {
      if (this.#shared.get(connection) === shared) this.#shared.delete(connection);
      void shared.session?.close();
    };
    if (connection.signal.aborted) end();
    else connection.signal.addEventListener('abort', end, { once: true });
    return shared;
  }
}

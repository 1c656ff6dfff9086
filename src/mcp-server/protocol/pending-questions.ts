import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { notificationText, type RpcResponse, requestText } from './protocol.ts';

const maxWaiting = 100;
const timeoutMs = 10 * 60 * 1000;

/** The requests to a client that await a reply. */
export class PendingQuestions {
  readonly #prefix: string;
  readonly #waiting = new Map<string, (response: RpcResponse | HubError) => void>();
  #count = 0;
  #isClosed = false;

  /** The ids of the questions begin with the prefix. */
  constructor(prefix = 'zoo-') {
    this.#prefix = prefix;
  }

  /**
   * Rejects with UNAVAILABLE, with TIMEOUT after ten minutes, with CANCELLED when the signal aborts, and with TOOL_ERROR if the
   * client refuses. Notifies the client when a reply is no longer needed.
   */
  ask(
    question: { method: string; params: JsonObject; signal: AbortSignal },
    send: (text: string) => void,
  ): Promise<JsonObject> {
    const { method, params, signal } = question;
    if (this.#isClosed) return Promise.reject(wentAway());
    if (this.#waiting.size >= maxWaiting)
      return Promise.reject(new HubError('UNAVAILABLE', 'The client has too many open questions.'));
    this.#count += 1;
    const id = `${this.#prefix}${this.#count}`;
    return new Promise((resolve, reject) => {
      const withdraw = (error: HubError) => {
        send(notificationText('notifications/cancelled', { requestId: id, reason: error.message }));
        settle(error);
      };
      const timer = setTimeout(
        () => withdraw(new HubError('TIMEOUT', `The client did not reply to ${method} within ten minutes.`)),
        timeoutMs,
      );
      const cancel = () => withdraw(withdrawn(method));
      const settle = (response: RpcResponse | HubError) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        this.#waiting.delete(id);
        if (response instanceof HubError) reject(response);
        else if (response.result) resolve(response.result);
        else
          reject(new HubError('TOOL_ERROR', `The client refused ${method}: ${response.error?.message.slice(0, 500)}`));
      };
      this.#waiting.set(id, settle);
      if (signal.aborted) return settle(withdrawn(method));
      signal.addEventListener('abort', cancel, { once: true });
      send(requestText(id, method, params));
    });
  }

  /** Ignores replies to unknown requests. */
  settle(response: RpcResponse): void {
    if (response.id !== null) this.#waiting.get(String(response.id))?.(response);
  }

  close(): void {
    this.#isClosed = true;
    for (const settle of [...this.#waiting.values()]) settle(wentAway());
  }
}

function withdrawn(method: string): HubError {
  return new HubError('CANCELLED', `The call that sent ${method} has ended.`);
}

function wentAway(): HubError {
  return new HubError('UNAVAILABLE', 'The client disconnected.');
}

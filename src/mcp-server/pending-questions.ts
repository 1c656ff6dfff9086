import { HubError } from '../base/hub-error.ts';
import type { JsonObject } from '../base/json.ts';
import { type RpcResponse, requestText } from './protocol.ts';

const mostWaiting = 100;
const patienceMs = 10 * 60 * 1000;

/** Requests sent to a client that still wait for its answer. */
export class PendingQuestions {
  readonly #waiting = new Map<string, (response: RpcResponse | HubError) => void>();
  #count = 0;
  #isClosed = false;

  /** Rejects with UNAVAILABLE, TIMEOUT after ten minutes, CANCELLED with the signal, TOOL_ERROR when the client refuses. */
  ask(
    question: { method: string; params: JsonObject; signal: AbortSignal },
    send: (text: string) => void,
  ): Promise<JsonObject> {
    const { method, params, signal } = question;
    if (this.#isClosed) return Promise.reject(wentAway());
    if (this.#waiting.size >= mostWaiting)
      return Promise.reject(new HubError('UNAVAILABLE', 'The client has too many unanswered questions.'));
    this.#count += 1;
    const id = `zoo-${this.#count}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(new HubError('TIMEOUT', `The client did not answer ${method}.`)),
        patienceMs,
      );
      const cancel = () => settle(new HubError('CANCELLED', `The call that asked ${method} was cancelled.`));
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
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      else send(requestText(id, method, params));
    });
  }

  /** An answer to something that was not asked is ignored. */
  settle(response: RpcResponse): void {
    if (response.id !== null) this.#waiting.get(String(response.id))?.(response);
  }

  close(): void {
    this.#isClosed = true;
    for (const settle of [...this.#waiting.values()]) settle(wentAway());
  }
}

function wentAway(): HubError {
  return new HubError('UNAVAILABLE', 'The client went away.');
}

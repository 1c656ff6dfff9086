import type { ServerResponse } from 'node:http';
import type { McpServer } from '../mcp-server.ts';
import { acknowledgement, changesHeardBy, closingResult, readListening } from '../methods/listen.ts';
import { RpcError, type RpcRequest, rpcCodes } from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';
import { EventStream } from './event-stream.ts';

const maxOpen = 1_000;

/** Open `subscriptions/listen` streams of revision 2026-07-28. */
export class HttpListeners {
  readonly #server: McpServer;
  readonly #open = new Map<EventStream, () => void>();

  constructor(server: McpServer) {
    this.#server = server;
  }

  /** Throws -32602, and 503 when too many are open. */
  open(view: McpView, request: RpcRequest, response: ServerResponse): void {
    const listening = readListening(request);
    if (this.#open.size >= maxOpen)
      throw new RpcError(rpcCodes.refused, 'Too many subscriptions are open. Try again later.', { status: 503 });
    const stream = new EventStream(response);
    stream.send(acknowledgement(listening));
    const stop = this.#server.changes.on(view, (changes) => {
      for (const text of changesHeardBy(listening, changes)) stream.send(text);
    });
    stream.onLost = () => {
      stop();
      this.#open.delete(stream);
    };
    this.#open.set(stream, () => {
      stop();
      stream.send(closingResult(view, listening));
      stream.finish();
    });
  }

  keepAlive(): void {
    for (const stream of this.#open.keys()) stream.keepAlive();
  }

  close(): void {
    for (const end of this.#open.values()) end();
    this.#open.clear();
  }
}

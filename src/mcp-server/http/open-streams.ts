import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Changes } from '../../base/changes.ts';
import { HubError } from '../../base/hub-error.ts';
import { placeToGive } from '../../base/who-gives-way.ts';
import { bearerToken } from '../../callers/credentials.ts';
import type { Team } from '../../team/team.ts';
import type { McpServer } from '../mcp-server.ts';
import { acknowledgement, changesForListener, closingResult, readListening } from '../methods/listen.ts';
import { RpcError, type RpcRequest, rpcCodes } from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';
import { EventStream } from './event-stream.ts';
import { claimOf } from './http-request.ts';

const maxOpen = 1_000;

/** The open `subscriptions/listen` streams of revision 2026-07-28. */
export class HttpListeners {
  readonly #server: McpServer;
  /** The oldest comes first. */
  readonly #open = new Map<EventStream, { sender: string; end: () => void }>();

  constructor(server: McpServer) {
    this.#server = server;
  }

  /** Throws -32602, and 503 if too many are open and no other caller has more of them. */
  open(view: McpView, request: RpcRequest, response: ServerResponse): void {
    const listening = readListening(request);
    if (this.#open.size >= maxOpen) this.#makeRoom(view.sender);
    const stream = new EventStream(response);
    stream.send(acknowledgement(listening));
    const stop = this.#server.changes.on(view, (changes) => {
      for (const text of changesForListener(listening, changes)) stream.send(text);
    });
    stream.onLost = () => {
      stop();
      this.#open.delete(stream);
    };
    const end = () => {
      stop();
      stream.send(closingResult(view, listening));
      stream.finish();
    };
    this.#open.set(stream, { sender: view.sender, end });
  }

  #makeRoom(newcomer: string): void {
    const taken = [...this.#open].map(([stream, { sender }]) => [stream, sender] as const);
    const oldest = placeToGive(newcomer, taken);
    if (!oldest)
      throw new RpcError(rpcCodes.refused, 'Too many subscriptions are open. Try again later.', { status: 503 });
    this.#open.get(oldest)?.end();
    this.#open.delete(oldest);
  }

  keepAlive(): void {
    for (const stream of this.#open.keys()) stream.keepAlive();
  }

  close(): void {
    for (const { end } of this.#open.values()) end();
    this.#open.clear();
  }
}

interface MemberStreamParts {
  readonly changes: Changes;
  readonly team: Pick<Team, 'members'>;
}

/** The open streams of members. A stream ends when its member is removed or its token is no longer valid. */
export class MemberStreams {
  readonly #parts: MemberStreamParts;
  readonly #open = new Map<ServerResponse, IncomingMessage>();
  #stop: (() => void) | undefined;

  constructor(parts: MemberStreamParts) {
    this.#parts = parts;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#open.set(response, request);
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    });
    this.#stop ??= this.#parts.changes.on(['members'], () => {
      for (const [openResponse, openRequest] of this.#open) void this.#check(openRequest, openResponse);
    });
    // Members may have changed between the request's own check and now.
    void this.#check(request, response);
  }

  async #check(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const token = bearerToken(request);
      const { memberId } = claimOf(request);
      // An open stream is not a call, so it does not revive a FAILED member.
      await this.#parts.team.members.identify({ token, agentId: memberId });
    } catch (error) {
      // Other errors, such as an unavailable database, do not concern the member.
      const isRefused = error instanceof HubError && ['PERMISSION_DENIED', 'AGENT_NOT_FOUND'].includes(error.code);
      if (isRefused) response.end();
    }
  }
}

import { LazyAbort } from '../../base/abort.ts';
import { type JsonObject, parseJson } from '../../base/json.ts';
import { SlotMap } from '../../base/slots.ts';
import type { McpServer } from '../mcp-server.ts';
import {
  acknowledgement,
  changesForListener,
  changesForSession,
  closingResult,
  type Listening,
  readListening,
} from '../methods/listen.ts';
import { type Exchange, eitherOf, hasEnvelope, type Peer, readEnvelope, sessionPeer } from '../protocol/exchange.ts';
import { PendingQuestions } from '../protocol/pending-questions.ts';
import {
  batchVersion,
  errorText,
  idOf,
  invalidRequest,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  rpcCodes,
  toReadError,
} from '../protocol/protocol.ts';
import type { McpView } from '../view.ts';

const maxListening = 100;
const maxBatch = 100;

/** Undefined for a cancelled request, which gets no reply. */
type Reply = (text: string | undefined) => void;

interface Output {
  write(line: string): void;
  /** Queues a line while the client does not read. Duplicate lines are sent once. */
  writeOnce(line: string): void;
}

/** One client on a line-based connection. Each message can belong to either protocol era. */
export class StdioConnection {
  readonly #server: McpServer;
  readonly #view: McpView;
  readonly #output: Output;
  readonly #send = (text: string) => this.#output.write(text);
  readonly #peer = sessionPeer();
  readonly #questions = new PendingQuestions();
  readonly #running = new SlotMap<RpcId, StdioExchange>();
  readonly #listening = new Map<RpcId, Listening>();
  #stopChanges: (() => void) | undefined;
  #whenIdle: (() => void) | undefined;
  #isInitialized = false;
  #count = 0;
  onSettled: () => void = () => {};

  constructor(server: McpServer, view: McpView, output: Output) {
    this.#server = server;
    this.#view = view;
    this.#output = output;
  }

  get running(): number {
    return this.#count;
  }

  receive(line: string): void {
    let value: unknown;
    try {
      value = parseJson(line);
      if (Array.isArray(value)) this.#receiveBatch(value);
      else this.#handle(readMessage(value), (text) => text !== undefined && this.#send(text));
    } catch (error) {
      this.#send(errorText(idOf(value), toReadError(error)));
    }
  }

  /** Processes a message without replying, because it already has a reply or needs none. */
  receiveSilently(line: string): void {
    this.#handle(readMessage(parseJson(line)), () => {});
  }

  refuseLongLine(): void {
    this.#send(errorText(null, invalidRequest('The message is too long.')));
  }

  /** Waits for running calls. With `isAborting`, cancels them and sends the final message of each subscription. */
  async close(isAborting: boolean): Promise<void> {
    this.#stopChanges?.();
    this.#questions.close();
    if (isAborting) {
      for (const exchange of this.#running.values()) exchange.abort.abort();
      for (const listening of this.#listening.values()) this.#send(closingResult(this.#view, listening));
    }
    if (this.#count > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    this.#peer.connection?.abort();
  }

  #receiveBatch(values: unknown[]): void {
    if (this.#peer.version !== batchVersion)
      throw invalidRequest(`Batches are supported only in revision ${batchVersion}. Send one message per line.`);
    if (values.length === 0 || values.length > maxBatch)
      throw invalidRequest(`A batch must have 1 to ${maxBatch} messages.`);
    const messages = values.map(readMessage);
    let open = messages.filter((message) => message.kind === 'request').length;
    const answers: string[] = [];
    const reply: Reply = (text) => {
      if (text !== undefined) answers.push(text);
      open -= 1;
      if (open === 0 && answers.length > 0) this.#send(`[${answers.join(',')}]`);
    };
    for (const message of messages) {
      // A subscription gets no reply until it ends, so the batch would wait for it.
      if (message.kind === 'request' && message.method === 'subscriptions/listen')
        reply(errorText(message.id, invalidRequest('A subscription cannot start in a batch.')));
      else this.#handle(message, reply);
    }
  }

  #handle(message: RpcMessage, reply: Reply): void {
    if (message.kind === 'response') this.#questions.settle(message);
    else if (message.kind === 'notification') this.#receiveNotification(message.method, message.params);
    else this.#start(message, reply);
  }

  #receiveNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/initialized') {
      this.#isInitialized = true;
      this.#watchChanges();
    } else if (method === 'notifications/cancelled') {
      const id = params.requestId;
      if (typeof id !== 'string' && typeof id !== 'number') return;
      this.#listening.delete(id);
      this.#running.get(id)?.abort.abort();
    }
  }

  #start(request: RpcRequest, reply: Reply): void {
    try {
      const peer = this.#peerOf(request);
      if (peer.era === 'stateless' && request.method === 'subscriptions/listen') this.#listen(request);
      else this.#run(new StdioExchange(request, peer, this.#send, this.#questions), reply);
    } catch (error) {
      reply(errorText(request.id, toReadError(error)));
    }
  }

  #peerOf(request: RpcRequest): Peer {
    const isStateless = hasEnvelope(request.params) || request.method === 'server/discover';
    return isStateless ? readEnvelope(request.params) : this.#peer;
  }

  #run(exchange: StdioExchange, reply: Reply): void {
    const { id } = exchange.request;
    this.#running.set(id, exchange);
    this.#count += 1;
    void this.#server.answer(this.#view, exchange).then(({ text }) => {
      if (this.#running.get(id) === exchange) this.#running.delete(id);
      this.#count -= 1;
      exchange.isAnswered = true;
      reply(exchange.abort.isAborted ? undefined : text);
      this.onSettled();
      if (this.#count === 0) this.#whenIdle?.();
    });
  }

  #listen(request: RpcRequest): void {
    if (this.#listening.size >= maxListening)
      throw new RpcError(rpcCodes.refused, `At most ${maxListening} subscriptions can be open at once.`);
    const listening = readListening(request);
    this.#listening.set(request.id, listening);
    this.#send(acknowledgement(listening));
    this.#watchChanges();
  }

  #watchChanges(): void {
    this.#stopChanges ??= this.#server.changes.on(this.#view, (changes) => {
      if (this.#isInitialized) for (const text of changesForSession(this.#peer, changes)) this.#output.writeOnce(text);
      for (const listening of this.#listening.values()) {
        for (const text of changesForListener(listening, changes)) this.#output.writeOnce(text);
      }
    });
  }
}

class StdioExchange implements Exchange {
  readonly request: RpcRequest;
  readonly peer: Peer;
  readonly abort = new LazyAbort();
  readonly release = undefined;
  isAnswered = false;
  readonly #send: (text: string) => void;
  readonly #questions: PendingQuestions;

  constructor(request: RpcRequest, peer: Peer, send: (text: string) => void, questions: PendingQuestions) {
    this.request = request;
    this.peer = peer;
    this.#send = send;
    this.#questions = questions;
  }

  get ask(): NonNullable<Exchange['ask']> {
    return (method, params, signal) =>
      this.#questions.ask({ method, params, signal: eitherOf(this.abort.signal, signal) }, this.#send);
  }

  notify(text: string): void {
    if (!this.abort.isAborted && !this.isAnswered) this.#send(text);
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { HubError } from './hub-error.ts';
import { defaultJsonLimits, type JsonLimits } from './json.ts';

/** Limits for request bodies that are still arriving, for the whole hub. */
export interface BodyLimits {
  /** A body up to this size is not counted, so that ordinary requests succeed while the budget is used up. */
  freeBytes: number;
  /** All other bodies together. A body counts as the size it announces, or else as twice what has arrived. */
  totalBytes: number;
  /** A larger body, such as an import, is not counted. It takes the single slot for large bodies instead. */
  ordinaryBytes: number;
  /** How long a body may take to arrive. */
  ordinaryMs: number;
  largeMs: number;
  /** How long the connection of a refused body stays open after the reply, so that the client can read it. */
  lingerMs: number;
}

export const bodyLimits: Readonly<BodyLimits> = {
  freeBytes: 16 * 1024,
  totalBytes: 16 * 1024 * 1024,
  ordinaryBytes: defaultJsonLimits.maxCharacters,
  ordinaryMs: 30_000,
  largeMs: 300_000,
  lingerMs: 500,
};

/** For the bodies of callers without a valid credential: they never use up the budget. */
export const strangerLimits: JsonLimits = { ...defaultJsonLimits, maxCharacters: bodyLimits.freeBytes };

/** The memory that a chunk takes besides its bytes. A body of single bytes costs more than its size. */
const chunkBytes = 256;

/** Reads request bodies. All bodies that have not arrived completely share one budget. */
export class RequestBodies {
  readonly #limits: BodyLimits;
  #countedBytes = 0;
  #hasLarge = false;

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { ...bodyLimits, ...limits };
  }

  /** The current cost of all counted bodies. */
  get countedBytes(): number {
    return this.#countedBytes;
  }

  /**
   * Reads a whole body. Throws TOO_LARGE as soon as it is or announces to be larger than `maxBytes`, UNAVAILABLE if the budget is used
   * up, TIMEOUT if it arrives too slowly, and CANCELLED if the client disconnects. The reply to a refused body closes the connection.
   * With a `maxBytes` up to the free size, a body is never counted.
   */
  read(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<Buffer> {
    const limits = this.#limits;
    if (announcedBytes(request) > maxBytes) {
      closeAfterReply(request, response, limits.lingerMs);
      return Promise.reject(tooLarge(maxBytes));
    }
    const maxCost = maxBytes <= limits.freeBytes ? limits.freeBytes : Number.POSITIVE_INFINITY;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let counted = 0;
      let isLarge = false;
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;

      const release = () => {
        isOver = true;
        clearTimeout(timer);
        this.#countedBytes -= counted;
        counted = 0;
        if (isLarge) this.#hasLarge = false;
        isLarge = false;
      };
      const refuse = (error: HubError) => {
        release();
        chunks.length = 0;
        request.off('data', take);
        closeAfterReply(request, response, limits.lingerMs);
        reject(error);
      };
      const limitTime = (milliseconds: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => refuse(tooSlow(milliseconds)), milliseconds);
      };
      const becomeLarge = () => {
        if (this.#hasLarge) return refuse(largeBodyBusy());
        this.#hasLarge = true;
        isLarge = true;
        this.#countedBytes -= counted;
        counted = 0;
        limitTime(limits.largeMs);
      };
      const count = (size: number) => {
        if (this.#countedBytes - counted + size > limits.totalBytes) return refuse(budgetUsedUp(limits.totalBytes));
        this.#countedBytes += size - counted;
        counted = size;
      };
      const take = (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        const cost = bytes + chunks.length * chunkBytes;
        if (bytes > maxBytes || cost > maxCost) return refuse(tooLarge(maxBytes));
        // A short body that arrived together with its headers is complete here.
        if (timer === undefined && !request.complete) limitTime(limits.ordinaryMs);
        if (cost <= limits.freeBytes || cost <= counted || isLarge) return;
        const announced = announcedBytes(request);
        if (Math.max(bytes, announced) > limits.ordinaryBytes) becomeLarge();
        // Counts what is still to come, so that bodies do not all grow until none of them fits.
        else count(Math.max(cost, announced === 0 ? roundUp(cost) : announced));
      };
      const lose = () => {
        release();
        reject(gone());
      };

      request.on('data', take);
      request.once('end', () => {
        if (isOver) return;
        release();
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      });
      request.once('error', lose);
      // `close` also follows a complete body. Avoids creating an error with its stack in that case.
      request.once('close', () => {
        if (!request.complete) lose();
      });
    });
  }
}

/**
 * Reads nothing more of a request, and closes its connection after the reply. Discarding the rest would be reading it: hundreds of
 * bodies at once would fill the memory faster than it is collected. Closing at once could reset the connection before the client has
 * read the reply.
 */
function closeAfterReply(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  const { socket } = request;
  request.pause();
  // The app's listener would drain the request.
  request.resume = () => request;
  response.shouldKeepAlive = false;
  // Node calls this after the last reply of a connection.
  socket.destroySoon = () => {
    if (socket.writable) socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
}

/** Returns the next power of two. */
function roundUp(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(bytes));
}

/** Returns 0 if the request does not announce the size of its body. */
export function announcedBytes({ headers }: Pick<IncomingMessage, 'headers'>): number {
  return Number(headers['content-length'] ?? 0);
}

function tooLarge(maxBytes: number): HubError {
  return new HubError('TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);
}

function budgetUsedUp(totalBytes: number): HubError {
  return new HubError(
    'UNAVAILABLE',
    `The hub is already receiving ${totalBytes / 1024 / 1024} MB of other requests, so it has no room for this body. Try again in a moment.`,
  );
}

function largeBodyBusy(): HubError {
  return new HubError(
    'UNAVAILABLE',
    'The hub is already receiving another large body, and takes one at a time. Try again in a moment.',
  );
}

function tooSlow(milliseconds: number): HubError {
  return new HubError('TIMEOUT', `The body was not complete after ${milliseconds / 1_000} s. Send it again.`, {
    details: { mayHaveRun: false },
  });
}

/** Ends the handling of a request whose client has disconnected. */
function gone(): HubError {
  return new HubError('CANCELLED', 'The client disconnected before its body was complete.');
}

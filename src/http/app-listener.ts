import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hub } from '../hub.ts';
import { type AppParts, createApp } from './app.ts';
import { Refusal } from './refusal.ts';
import { toErrorResponse } from './to-error-response.ts';

export type AppListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The API and the web app, for Node's own server. */
export function createAppListener(hub: Hub, parts: AppParts): AppListener {
  const app = createApp(hub, parts);
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: answerAdapterError });
  return async (request, response) => {
    await answer(request, response);
  };
}

/** An address that is a path, and yet none a URL can hold. */
function answerAdapterError(error: unknown): Response {
  if (!(error instanceof RequestError)) return toErrorResponse(error);
  return toErrorResponse(new Refusal(400, 'bad_request', 'The address in the request line is not valid.'));
}

import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';

const id = z.string().min(1).max(300);
const metadata = z.record(z.string(), z.unknown()).nullish();

/** Only what the SDK takes on trust: it would fail in the middle of a shape that is none. */
const SendParams = z.looseObject({
  message: z.looseObject({
    messageId: id,
    contextId: z.string().max(300).nullish(),
    taskId: z.string().max(300).nullish(),
    parts: z.array(z.looseObject({})).min(1).max(1_000),
    metadata,
  }),
  configuration: z.looseObject({ historyLength: z.int().min(0).nullish() }).nullish(),
  metadata,
});
const TaskParams = z.looseObject({ id, historyLength: z.int().min(0).nullish() });
const ListParams = z.looseObject({
  contextId: z.string().max(300).nullish(),
  pageSize: z.int().nullish(),
  pageToken: z.string().max(2_000).nullish(),
  historyLength: z.int().min(0).nullish(),
});

const schemas: Record<string, z.ZodType> = {
  SendMessage: SendParams,
  SendStreamingMessage: SendParams,
  GetTask: TaskParams,
  CancelTask: TaskParams,
  SubscribeToTask: TaskParams,
  ListTasks: ListParams,
  'message/send': SendParams,
  'message/stream': SendParams,
  'tasks/get': TaskParams,
  'tasks/cancel': TaskParams,
  'tasks/resubscribe': TaskParams,
};

/** Throws RequestMalformedError that names the field. What is no request at all is for the transport to refuse. */
export function checkParams(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('method' in body) || typeof body.method !== 'string') return;
  const schema = Object.hasOwn(schemas, body.method) ? schemas[body.method] : undefined;
  if (!schema) return;
  try {
    parseWith(schema, 'params' in body ? body.params : undefined, { what: 'params' });
  } catch (error) {
    throw error instanceof HubError ? new RequestMalformedError(error.message) : error;
  }
}

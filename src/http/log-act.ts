import type { RecordsActs } from '../decisions/record-act.ts';
import type { ActNote, Route } from './route.ts';

interface FinishedRequest {
  params: Record<string, string>;
  body: unknown;
  note: ActNote;
  by?: Parameters<RecordsActs['recordAct']>[0]['by'];
}

/** Whether to log a successful request: every administrative operation, except tool calls, which have their own entries. */
function isAct({
  method,
  right,
  isToolCall,
  isAct,
}: Pick<Route, 'method' | 'right' | 'isToolCall' | 'isAct'>): boolean {
  if (method === 'GET' || isToolCall) return false;
  return isAct ?? right === 'administer';
}

/** Logs a successful administrative request. */
export async function logAct({ recordAct }: RecordsActs, route: Route, request: FinishedRequest): Promise<void> {
  if (!isAct(route)) return;
  const { params, body, note, by } = request;
  const values = Object.values(params);
  await recordAct({
    surface: 'web',
    by,
    act: `${route.method} ${route.path}`,
    summary: route.summary,
    target: note.target ?? (values.length === 0 ? undefined : values.join(' / ')),
    before: note.before,
    after: note.after ?? shownOf(body, route.shownFields ?? []),
  });
}

/** Returns the fields of a body, with the values of those that hold no secret. */
function shownOf(body: unknown, shown: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  const hidden = given.flatMap(([name]) => (shown.includes(name) ? [] : [name]));
  return {
    ...Object.fromEntries(given.filter(([name]) => shown.includes(name))),
    ...(hidden.length > 0 && { alsoGiven: hidden }),
  };
}

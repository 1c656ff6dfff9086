import { HubError } from '../base/hub-error.ts';
import { type DecisionEntry, type DecisionQuery, decisionKinds } from '../tools/decision-log.ts';
import { withoutNul } from './decisions-rows.ts';

const mostTextCharacters = 1_000;

/** Whether an entry is asked for. Throws INVALID_ARGUMENTS for a kind that is none, and for a text that is too long. */
export function matcherOf(query: DecisionQuery): (entry: DecisionEntry) => boolean {
  const { kind, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = query;
  if (kind !== undefined && !decisionKinds.includes(kind))
    throw new HubError('INVALID_ARGUMENTS', `There is no kind "${kind}". Kinds: ${decisionKinds.join(', ')}.`);
  if ((query.text?.length ?? 0) > mostTextCharacters)
    throw new HubError('INVALID_ARGUMENTS', `The text to search for has more than ${mostTextCharacters} characters.`);
  const { agentId, tool, taskId, callId } = cleanQuery(query);
  const words = query.text ? withoutNul(query.text).toLowerCase() : undefined;
  return (entry) =>
    (kind === undefined || entry.kind === kind) &&
    (agentId === undefined || entry.agentId === agentId) &&
    (tool === undefined || entry.tool === tool) &&
    (taskId === undefined || entry.taskId === taskId) &&
    (callId === undefined || entry.callId === callId) &&
    entry.at >= since &&
    entry.at <= until &&
    (words === undefined || holds(entry, words));
}

/** As what is kept was cleaned. */
export function cleanQuery(query: DecisionQuery): DecisionQuery {
  const { agentId, tool, taskId, callId } = query;
  return {
    ...query,
    agentId: agentId === undefined ? undefined : withoutNul(agentId),
    tool: tool === undefined ? undefined : withoutNul(tool),
    taskId: taskId === undefined ? undefined : withoutNul(taskId),
    callId: callId === undefined ? undefined : withoutNul(callId),
  };
}

function holds({ decision, reasoning, context }: DecisionEntry, words: string): boolean {
  return [context, decision, reasoning].some((each) => each.toLowerCase().includes(words));
}

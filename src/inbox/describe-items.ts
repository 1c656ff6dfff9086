import { hash } from 'node:crypto';
import type { Agent } from '../agents/agent.ts';
import { durationWords } from '../base/duration-words.ts';
import type { SourceState } from '../knowledge/store/knowledge-store.ts';
import type { FailedRun } from '../runs/runs.ts';
import type { ServerInfo } from '../servers/servers.ts';
import { needsSignIn, signInNeeded } from '../servers/sign-in-need.ts';
import type { HeldConfig } from '../settings/app-settings.ts';
import type { DeadLetters } from '../team/events/deliveries.contract.ts';
import type { MailThread } from '../team/mail/mail.ts';
import { amountOf, type BudgetState, budgetLevel, budgetName } from '../usage/budgets.ts';
import { type InboxItem, type ItemOf, trustItemId } from './inbox.ts';

/** The prefix of the ids of run items. The id of the run follows. */
export const runPrefix = 'run:';

const howRunsEnd: Record<FailedRun['status'], string> = {
  failed: 'failed',
  interrupted: 'interrupted',
  budget: 'stopped by its budget',
  'max-ticks': 'stopped at its tick limit',
};

/** `agent` is undefined if this hub does not have it: then nobody can answer again. */
export function describeRun(run: FailedRun, agent: Pick<Agent, 'name'> | undefined): ItemOf<'failure'> {
  const { id, chatId, messageId, agentId, status, code, message, at } = run;
  const isModelAtFault = code === 'MODEL_ERROR' || code === 'NOT_CONFIGURED';
  const what = chatId === null ? 'run' : 'answer';
  return {
    kind: 'failure',
    id: `${runPrefix}${id}`,
    title: `${agent?.name ?? agentId ?? 'An agent'}: ${what} ${howRunsEnd[status]}`,
    why: short(message),
    since: at,
    urgency: 'normal',
    link: chatId === null ? `/runs/${encodeURIComponent(id)}` : `/chat/${encodeURIComponent(chatId)}`,
    settle:
      chatId === null
        ? { what: 'run', runId: id, canRetry: agent !== undefined, isModelAtFault }
        : { what: 'chat', chatId, messageId, isModelAtFault },
  };
}

/** Describes the failed deliveries to one target, of which the newest are given. */
export function describeDeliveries({ count, newest: deliveries }: DeadLetters): ItemOf<'failure'> {
  const [newest] = deliveries;
  const events = count === 1 ? '1 event was' : `${count} events were`;
  const target = newest?.target ?? '';
  return {
    kind: 'failure',
    id: `delivery:${newest?.id}`,
    title: `${events} not delivered to ${target.replace(/^webhook:/, 'the webhook ')}`,
    why: short(newest?.lastError ?? 'The target did not accept it.'),
    since: Date.parse(newest?.createdAt ?? ''),
    urgency: 'normal',
    link: '/team/events',
    settle: { what: 'deliveries', ids: deliveries.map(({ id }) => id) },
  };
}

/** Returns undefined while enough of the budget is left. */
export function describeBudget(budget: BudgetState): ItemOf<'failure'> | undefined {
  const level = budgetLevel(budget);
  if (level === 'fine') return undefined;
  const { id, used, limit, action, since, resetsAt } = budget;
  const stops = action === 'stop' && level === 'over';
  return {
    kind: 'failure',
    // The next level, and the next period, are news.
    id: `budget:${id}:${level}:${since}`,
    title: `The ${budgetName(budget)} is ${level === 'over' ? 'used up' : 'nearly used up'}`,
    why: `${amountOf(budget, used)} of ${amountOf(budget, limit)} used.${stops ? ' Further model calls are refused.' : ''} It resets on ${resetsAt.slice(0, 10)} at 00:00 UTC.`,
    // When it came this far is not recorded.
    since: 0,
    urgency: stops ? 'high' : 'normal',
    link: '/usage',
    settle: { what: 'budget', budget: id },
  };
}

export function describeSource({ source, message, finishedAt }: SourceState): ItemOf<'failure'> {
  return {
    kind: 'failure',
    id: `source:${source}:${finishedAt}`,
    title: `The sync of ${source} failed`,
    why: short(message ?? ''),
    since: finishedAt ?? 0,
    urgency: 'normal',
    link: '/knowledge',
    settle: { what: 'source', source },
  };
}

/** A server can fail or need a sign-in, and have tools to accept at the same time. */
export function describeServer({ name, definition, state, tools, elsewhere, listedAt }: ServerInfo): InboxItem[] {
  const common = { link: `/servers/${encodeURIComponent(name)}`, urgency: 'normal' as const };
  const items: InboxItem[] = [];
  const canSignIn = needsSignIn(definition);
  if (state.kind === 'failed' || (state.kind === 'sign-in' && !canSignIn)) {
    const isDown = state.kind === 'failed';
    items.push({
      ...common,
      kind: 'failure',
      id: `${isDown ? 'server' : 'credentials'}:${name}:${state.since}`,
      title: isDown ? `The server ${name} is down` : `The server ${name} rejects its credentials`,
      why: short(state.reason),
      since: state.since,
      settle: { what: 'server', server: name, hasBadCredentials: state.kind === 'sign-in' },
    });
  }
  if (state.kind === 'sign-in' && canSignIn)
    items.push({
      ...common,
      kind: 'sign-in',
      id: `sign-in:${name}:${state.since}`,
      title: `Sign in to ${name}`,
      why: signInNeeded,
      since: state.since,
      settle: { server: name },
    });
  const waiting = [...tools, ...elsewhere].filter(({ status }) => status === 'new' || status === 'changed');
  if (waiting.length === 0) return items;
  const changed = waiting.filter(({ status }) => status === 'changed').length;
  return [
    ...items,
    {
      ...common,
      kind: 'tools',
      id: `tools:${name}:${idOf(waiting.map(({ proposedHash }) => proposedHash ?? ''))}`,
      title: toolsTitle(name, waiting.length, changed),
      why: 'They cannot be called until you accept them.',
      since: listedAt ?? 0,
      // A tool that changes after it was accepted may have turned malicious.
      urgency: changed > 0 ? 'high' : 'normal',
      settle: { server: name, tools: waiting.map(({ remoteName }) => remoteName) },
    },
  ];
}

/** Describes a sign-in that still works, but not for long. */
export function describeEnd(
  { name, listedAt }: ServerInfo,
  { endsAt, now }: { endsAt: number; now: number },
): ItemOf<'sign-in'> {
  return {
    kind: 'sign-in',
    id: `sign-in:${name}:${endsAt}`,
    title: `Your sign-in to ${name} expires soon`,
    why:
      endsAt > now
        ? `It expires in ${durationWords(endsAt - now)} and cannot be renewed automatically. Sign in again.`
        : 'It has expired and cannot be renewed automatically. Sign in again.',
    since: listedAt ?? 0,
    urgency: 'normal',
    link: `/servers/${encodeURIComponent(name)}`,
    settle: { server: name },
  };
}

function toolsTitle(server: string, all: number, changed: number): string {
  const words = [...(changed > 0 ? [`${changed} changed`] : []), ...(all > changed ? [`${all - changed} new`] : [])];
  const last = all > changed ? all - changed : changed;
  return `${words.join(' and ')} ${last === 1 ? 'tool' : 'tools'} from ${server}`;
}

export function describeMail({ threadId, subject, unread, last, hasEscalation }: MailThread): ItemOf<'mail'> {
  const from = last.fromAgentId ?? (last.fromAgentType === 'HUMAN' ? 'you' : 'the hub');
  return {
    kind: 'mail',
    id: `mail:${threadId}:${last.id}`,
    title: subject,
    why: unread > 1 ? `${unread} unread mails, the last one from ${from}.` : `Mail from ${from}.`,
    since: Date.parse(last.createdAt),
    urgency: hasEscalation ? 'high' : 'normal',
    link: `/mail/${encodeURIComponent(threadId)}`,
    settle: { threadId, mailId: last.id, canReply: last.fromAgentId !== null },
  };
}

export function describeTrust({ folder, file, seen, isChange, parts }: HeldConfig, now: number): ItemOf<'trust'> {
  return {
    kind: 'trust',
    id: trustItemId(seen),
    title: isChange ? `${file} has changed since you trusted it` : `${file} is not trusted yet`,
    why: parts === 1 ? '1 part is inactive until you trust it.' : `${parts} parts are inactive until you trust them.`,
    since: now,
    urgency: 'normal',
    link: '/settings/folders',
    settle: { folder },
  };
}

const maxCharacters = 400;

function short(text: string): string {
  const line = text.trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters).toWellFormed()}…` : line;
}

/** Returns a short text that differs when the list does. */
function idOf(hashes: readonly string[]): string {
  return hash('sha256', hashes.toSorted().join(' '), 'hex').slice(0, 32);
}

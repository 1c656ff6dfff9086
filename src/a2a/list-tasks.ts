import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Chat } from '../chats/chat.ts';
import { type Own, ownChat, tasksOfChat, withHistory } from './agent-tasks.ts';
import { toTask } from './task.ts';

/** Tasks of older conversations are found by their id only. */
const maxChats = 1_000;
const chatsAtOnce = 200;
const maxKept = 500;

/** What was read of conversations, so that a list reads only those that went on. Without artifacts, which may be large. */
export class TaskLists {
  readonly #kept = new Map<string, { version: string; tasks: Task[] }>();

  /** Newest change first. Throws RequestMalformedError. */
  async list(own: Own, request: ListTasksRequest): Promise<ListTasksResponse> {
    const { status, includeArtifacts = false, historyLength } = request;
    const pageSize = readPageSize(request.pageSize);
    const since = readTime(request.statusTimestampAfter);
    const before = readToken(request.pageToken);
    const chats = request.contextId ? [await ownChat(own, request.contextId)] : await chatsOf(own);
    const all: Task[] = [];
    for (const chat of chats) all.push(...(await this.#tasks(own, chat)));
    const wanted = all
      .filter((task) => !status || task.status?.state === status)
      .filter((task) => timeOf(task) >= since)
      .toSorted(newestFirst);
    const rest = before ? wanted.filter((task) => newestFirst(before, task) < 0) : wanted;
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      tasks: (includeArtifacts ? await this.#withArtifacts(own, page) : page).map((task) =>
        withHistory(task, historyLength),
      ),
      nextPageToken: last && rest.length > page.length ? toToken(last) : '',
      pageSize,
      totalSize: wanted.length,
    };
  }

  async #tasks(own: Own, chat: Chat): Promise<Task[]> {
    const key = `${own.agentId}/${chat.id}`;
    const version = `${chat.lastSeq} ${chat.state}`;
    const known = this.#kept.get(key);
    if (known?.version === version) return known.tasks;
    const tasks = (await tasksOfChat(own, chat)).map((each) => ({ ...toTask(each), artifacts: [] }));
    this.#kept.delete(key);
    this.#kept.set(key, { version, tasks });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
    return tasks;
  }

  async #withArtifacts(own: Own, page: readonly Task[]): Promise<Task[]> {
    const whole = new Map<string, Task>();
    for (const contextId of new Set(page.map((task) => task.contextId))) {
      for (const known of await tasksOfChat(own, await own.chats.get(contextId))) {
        const task = toTask(known);
        whole.set(task.id, task);
      }
    }
    return page.map((task) => whole.get(task.id) ?? task);
  }
}

async function chatsOf({ chats, agentId }: Own): Promise<Chat[]> {
  const found: Chat[] = [];
  let cursor: string | undefined;
  do {
    const page = await chats.list({ agentId, origin: 'a2a', limit: chatsAtOnce, cursor });
    found.push(...page.chats);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined && found.length < maxChats);
  return found;
}

function readPageSize(pageSize = 50): number {
  if (pageSize >= 1 && pageSize <= 100) return pageSize;
  throw new RequestMalformedError('pageSize must be from 1 to 100.');
}

function readTime(text: string | undefined): number {
  if (!text) return 0;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new RequestMalformedError('statusTimestampAfter must be a time such as 2026-10-27T10:00:00Z.');
}

type Placed = Pick<Task, 'id' | 'status'>;

function timeOf({ status }: Placed): number {
  return Date.parse(status?.timestamp ?? '');
}

function newestFirst(one: Placed, other: Placed): number {
  return timeOf(other) - timeOf(one) || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
}

/** The last task of a page says where the next one begins, whatever was added meanwhile. */
function toToken(task: Task): string {
  return Buffer.from(JSON.stringify([timeOf(task), task.id])).toString('base64url');
}

function readToken(token: string): Placed | undefined {
  if (token === '') return undefined;
  try {
    const [time, id] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [number, string];
    const status = {
      state: TaskState.TASK_STATE_UNSPECIFIED,
      message: undefined,
      timestamp: new Date(time).toISOString(),
    };
    if (typeof id === 'string') return { id, status };
  } catch {
    // Not one of ours.
  }
  throw new RequestMalformedError('The pageToken is not one that this agent gave.');
}

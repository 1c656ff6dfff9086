import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Chat } from '../chats/chat.ts';
import { type AgentChats, findChat, isVisible, tasksOfChat, withHistory } from './agent-tasks.ts';
import { readTaskId, toTask } from './task.ts';

/** Tasks of older conversations can be found only by id. */
const maxChats = 1_000;
const chatsAtOnce = 200;
const maxCachedChats = 500;

/** Lists tasks. Caches the tasks of conversations, without artifacts, so that only changed conversations are read again. */
export class TaskLists {
  readonly #cache = new Map<string, { version: string; tasks: Task[] }>();

  /** Returns tasks, most recently changed first. Throws RequestMalformedError. */
  async list(agentChats: AgentChats, request: ListTasksRequest): Promise<ListTasksResponse> {
    const { status, includeArtifacts = false, historyLength } = request;
    const pageSize = readPageSize(request.pageSize);
    const since = readTime(request.statusTimestampAfter);
    const before = readToken(request.pageToken);
    const chats = request.contextId ? [await findChat(agentChats, request.contextId)] : await chatsOf(agentChats);
    const all: Task[] = [];
    for (const chat of chats) all.push(...(await this.#tasks(agentChats, chat)));
    const wanted = all
      .filter((task) => !status || task.status?.state === status)
      .filter((task) => timeOf(task) >= since)
      .toSorted(newestFirst);
    const rest = before ? wanted.filter((task) => newestFirst(before, task) < 0) : wanted;
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      tasks: (includeArtifacts ? await this.#withArtifacts(agentChats, page) : page).map((task) =>
        withHistory(task, historyLength),
      ),
      nextPageToken: last && rest.length > page.length ? toToken(last) : '',
      pageSize,
      totalSize: wanted.length,
    };
  }

  async #tasks(agentChats: AgentChats, chat: Chat): Promise<Task[]> {
    const key = `${agentChats.agentId}/${chat.id}`;
    const version = `${chat.lastSeq} ${chat.state}`;
    const known = this.#cache.get(key);
    if (known?.version === version) return known.tasks;
    const tasks = (await tasksOfChat(agentChats, chat)).map((each) => ({ ...toTask(each), artifacts: [] }));
    this.#cache.delete(key);
    this.#cache.set(key, { version, tasks });
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > maxCachedChats && oldest !== undefined) this.#cache.delete(oldest);
    return tasks;
  }

  async #withArtifacts(agentChats: AgentChats, page: readonly Task[]): Promise<Task[]> {
    const tasksById = new Map<string, Task>();
    for (const chatId of new Set(page.map((task) => readTaskId(task.id)?.chatId ?? ''))) {
      for (const known of await tasksOfChat(agentChats, await agentChats.chats.get(chatId))) {
        const task = toTask(known);
        tasksById.set(task.id, task);
      }
    }
    return page.map((task) => tasksById.get(task.id) ?? task);
  }
}

async function chatsOf(agentChats: AgentChats): Promise<Chat[]> {
  const { chats, agentId } = agentChats;
  const all: Chat[] = [];
  let cursor: string | undefined;
  do {
    const page = await chats.list({ agentId, origin: 'a2a', limit: chatsAtOnce, cursor });
    all.push(...page.chats.filter((chat) => isVisible(agentChats, chat)));
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined && all.length < maxChats);
  return all;
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

type TaskPosition = Pick<Task, 'id' | 'status'>;

function timeOf({ status }: TaskPosition): number {
  return Date.parse(status?.timestamp ?? '');
}

function newestFirst(one: TaskPosition, other: TaskPosition): number {
  return timeOf(other) - timeOf(one) || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
}

/** The last task of a page marks where the next page starts, even if tasks were added meanwhile. */
function toToken(task: Task): string {
  return Buffer.from(JSON.stringify([timeOf(task), task.id])).toString('base64url');
}

function readToken(token: string): TaskPosition | undefined {
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
    // Not a token from this hub: rejected below.
  }
  throw new RequestMalformedError('The pageToken does not come from this agent.');
}

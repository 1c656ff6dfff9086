import type {
  DeliveryListBody,
  EpicListBody,
  HealthBody,
  MemberBody,
  MemberListBody,
  MemberTokenBody,
  PermissionMatrixBody,
  TaskBody,
  TaskListBody,
} from '../../src/http/team-types.ts';
import type { Member, MemberChange, NewMember } from '../../src/team/member.ts';
import type { EpicState, TaskState } from '../../src/team/task-moves.ts';
import type { EpicWithTasks } from '../../src/team/team.ts';
import type { EpicChange, NewEpic, NewTask, Task, TaskChange, TaskComment } from '../../src/team/work.ts';
import { send } from './client.ts';

/** What the hub filters by itself. */
export interface TaskFilter {
  epicId?: string;
  assigneeId?: string;
}

const pageSize = 100;

export const teamApi = {
  listMembers: (signal?: AbortSignal) => send<MemberListBody>('GET', '/api/team/members', { signal }),
  getMember: (id: string, signal?: AbortSignal) => send<MemberBody>('GET', memberPath(id), { signal }),
  addMember: (member: NewMember & { withToken?: boolean }) =>
    send<MemberTokenBody>('POST', '/api/team/members', { body: member }),
  changeMember: (id: string, change: MemberChange) => send<Member>('PATCH', memberPath(id), { body: change }),
  removeMember: (id: string) => send<{ success: true; id: string }>('DELETE', memberPath(id)),
  /** The one before it stops to work at once. */
  makeToken: (id: string) => send<MemberTokenBody>('POST', `${memberPath(id)}/token`),
  revokeToken: (id: string) => send<Member>('DELETE', `${memberPath(id)}/token`),
  permissions: (signal?: AbortSignal) => send<PermissionMatrixBody>('GET', '/api/team/permissions', { signal }),
  health: (signal?: AbortSignal) => send<HealthBody>('GET', '/api/team/health', { signal }),
  deadLetters: (cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({ state: 'dead', limit: '50', ...(cursor !== null && { cursor }) });
    return send<DeliveryListBody>('GET', `/api/team/deliveries?${search}`, { signal });
  },
  retryDelivery: (id: string) =>
    send<{ success: true }>('POST', `/api/team/deliveries/${encodeURIComponent(id)}/retry`),

  listTasks: (state: TaskState, filter: TaskFilter, cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({
      state,
      limit: String(pageSize),
      ...filter,
      ...(cursor !== null && { cursor }),
    });
    return send<TaskListBody>('GET', `/api/tasks?${search}`, { signal });
  },
  getTask: (id: string, signal?: AbortSignal) => send<TaskBody>('GET', taskPath(id), { signal }),
  createTask: (task: NewTask) => send<Task>('POST', '/api/tasks', { body: task }),
  changeTask: (id: string, change: TaskChange) => send<Task>('PATCH', taskPath(id), { body: change }),
  removeTask: (id: string) => send<{ success: true; id: string }>('DELETE', taskPath(id)),
  moveTask: (id: string, status: TaskState) => send<Task>('POST', `${taskPath(id)}/move`, { body: { status } }),
  approveTask: (id: string, comment: string) =>
    send<Task>('POST', `${taskPath(id)}/approve`, { body: comment === '' ? {} : { comment } }),
  requestChanges: (id: string, comment: string) =>
    send<Task>('POST', `${taskPath(id)}/request-changes`, { body: { comment } }),
  /** Null takes it away. */
  assignTask: (id: string, agentId: string | null) =>
    send<Task>('POST', `${taskPath(id)}/assign`, { body: { agentId } }),
  commentTask: (id: string, body: string) => send<TaskComment>('POST', `${taskPath(id)}/comments`, { body: { body } }),

  listEpics: (cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({ limit: String(pageSize), ...(cursor !== null && { cursor }) });
    return send<EpicListBody>('GET', `/api/epics?${search}`, { signal });
  },
  createEpic: (epic: NewEpic) => send<EpicWithTasks>('POST', '/api/epics', { body: epic }),
  changeEpic: (id: string, change: EpicChange & { status?: EpicState }) =>
    send<EpicWithTasks>('PATCH', epicPath(id), { body: change }),
  removeEpic: (id: string) => send<{ success: true; id: string }>('DELETE', epicPath(id)),
};

function memberPath(id: string): string {
  return `/api/team/members/${encodeURIComponent(id)}`;
}

function taskPath(id: string): string {
  return `/api/tasks/${encodeURIComponent(id)}`;
}

function epicPath(id: string): string {
  return `/api/epics/${encodeURIComponent(id)}`;
}

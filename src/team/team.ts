import type { EventChannel } from '../base/events.ts';
import type { AnswerMemory } from '../tools/answer-memory.ts';
import type { CallingMember } from '../tools/caller.ts';
import type { PermissionDecision, PermissionRules } from '../tools/permissions.ts';
import type { Tool } from '../tools/tool.ts';
import type { Actor } from './actor.ts';
import type { Mail, MailDraft, MailReply, MailThread } from './mail.ts';
import type { Member, MemberChange, MemberType, NewMember } from './member.ts';
import type { HealthReport } from './members.contract.ts';
import type { EpicState } from './task-moves.ts';
import type { Delivery, Page, TeamConcern, ThreadQuery } from './team-store.ts';
import type {
  Epic,
  EpicChange,
  EpicWithTasks,
  NewEpic,
  NewTask,
  Task,
  TaskChange,
  TaskComment,
  TaskMove,
  TaskQuery,
  TaskWithComments,
} from './work.ts';

/** The team as surfaces see it: the person through web and CLI, members through their tools. */
export interface Team {
  readonly members: TeamMembers;
  readonly mail: TeamMail;
  readonly tasks: TeamTasks;
  readonly epics: TeamEpics;
  readonly health: TeamHealth;
  readonly events: TeamEvents;
  /** What changed, by this or another process. */
  readonly changes: Pick<EventChannel<readonly TeamConcern[]>, 'on'>;
  /** A member as the pipeline's permissions see it. */
  calling(member: Member): Promise<CallingMember>;
  /** First answers to idempotency keys, for tools that keep none themselves. */
  readonly answers: AnswerMemory;
  /** A failed call of a member: mails who should know. Never throws, never escalates itself. */
  escalate(fault: Fault): Promise<void>;
}

export interface WriteOptions {
  idempotencyKey?: string | undefined;
}

export interface TeamMembers {
  /**
   * Who calls. With a token: its member, and `agentId` must be the same (PERMISSION_DENIED). Without one: `agentId` is
   * believed only while no member has a token. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS.
   */
  identify(proof: { token?: string | undefined; agentId?: string | undefined }): Promise<Member>;
  /** True while no member has a token. */
  believesCallers(): Promise<boolean>;
  list(): Promise<Member[]>;
  /** AGENT_NOT_FOUND. */
  get(id: string): Promise<Member>;
  /** The member behind a call that is being made now, from memory: `lastActiveAt` is now. AGENT_NOT_FOUND. */
  acting(id: string): Promise<Member>;
  /** The token is shown this once. CONFLICT for a taken id, INVALID_ARGUMENTS for an unknown agent or supervisor. */
  add(
    member: NewMember,
    options?: WriteOptions & { actor?: Actor; withToken?: boolean },
  ): Promise<{ member: Member; token: string | null }>;
  change(id: string, change: MemberChange): Promise<Member>;
  /** Its open tasks become pending, those it supervised get its supervisor. AGENT_NOT_FOUND. */
  remove(id: string, options?: WriteOptions & { actor?: Actor }): Promise<Member>;
  /** A new token; the one before it stops to work at once. */
  makeToken(id: string): Promise<{ member: Member; token: string }>;
  /** Takes the token away. */
  revokeToken(id: string): Promise<Member>;
  /** What one member may call and why, for each of the tools. */
  permissions(id: string, tools: readonly Tool[]): Promise<{ tool: string; decision: PermissionDecision }[]>;
  rules(type: MemberType): Promise<PermissionRules>;
  /** What each type may call by its rules alone; an agent's scope adds to it. */
  matrix(
    tools: readonly Tool[],
  ): Promise<{ tool: string; decisions: Record<MemberType, { allowed: boolean; rule: string }> }[]>;
}

export interface TeamMail {
  /** Newest first. `count` is the number of mails in the list. */
  inbox(
    actor: Actor,
    query?: { includeRead?: boolean; limit?: number; cursor?: string },
  ): Promise<{ mails: Mail[]; unreadCount: number; cursor: string | null }>;
  /** Marks it as read. RESOURCE_NOT_FOUND, PERMISSION_DENIED (a member's mail is its own; the person may open every mail and marks only its own). */
  read(actor: Actor, mailId: string, options?: WriteOptions): Promise<Mail>;
  /** INVALID_ARGUMENTS, RESOURCE_NOT_FOUND for the recipient. */
  send(actor: Actor, draft: MailDraft, options?: WriteOptions): Promise<{ mailId: string; timestamp: string }>;
  /** To the sender, `Re: ` once. RESOURCE_NOT_FOUND, PERMISSION_DENIED, INVALID_AGENT_STATE when the sender is gone. */
  reply(actor: Actor, reply: MailReply, options?: WriteOptions): Promise<{ mailId: string; timestamp: string }>;
  /** For the person. */
  threads(query: {
    all?: boolean | undefined;
    onlyUnread?: boolean | undefined;
    onlyEscalations?: boolean | undefined;
    text?: string | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  }): Promise<Page<MailThread>>;
  /**
   * For the person: its newest mails, oldest first, or those before the page that gave the cursor; marks all that is for
   * the person as read, unless it only peeks.
   * RESOURCE_NOT_FOUND.
   */
  openThread(threadId: string, options?: ThreadQuery & { peek?: boolean }): Promise<Page<Mail>>;
  unreadForHuman(): Promise<number>;
}

export interface TeamTasks {
  list(query: TaskQuery): Promise<Page<Task>>;
  /** RESOURCE_NOT_FOUND. */
  get(id: string): Promise<TaskWithComments>;
  create(actor: Actor, task: NewTask, options?: WriteOptions): Promise<Task>;
  change(actor: Actor, id: string, change: TaskChange): Promise<Task>;
  remove(id: string): Promise<void>;
  /** To a member (null: to nobody, back to PENDING). INVALID_AGENT_STATE for a move that is not in the table. */
  assign(actor: Actor, assignment: { taskId: string; agentId: string | null }, options?: WriteOptions): Promise<Task>;
  /** Also claims: a member that moves a PENDING task to IN_PROGRESS has it, and nobody else. */
  move(actor: Actor, move: TaskMove, options?: WriteOptions): Promise<Task>;
  comment(
    actor: Actor,
    comment: { taskId?: string | undefined; body: string },
    options?: WriteOptions,
  ): Promise<TaskComment>;
  /** INVALID_AGENT_STATE when there is none. */
  currentOf(member: Member): Promise<Task>;
}

export interface TeamEpics {
  list(query?: {
    state?: readonly EpicState[] | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  }): Promise<Page<EpicWithTasks>>;
  get(id: string): Promise<EpicWithTasks>;
  create(actor: Actor, epic: NewEpic, options?: WriteOptions): Promise<Epic>;
  change(actor: Actor, id: string, change: EpicChange): Promise<Epic>;
  move(actor: Actor, move: { epicId: string; status: EpicState }, options?: WriteOptions): Promise<Epic>;
  /** Its tasks stay, without an epic. */
  remove(id: string): Promise<void>;
  /** Oldest first. */
  reviewQueue(epicId?: string): Promise<Task[]>;
  /** The assignee gets a mail. */
  approve(
    actor: Actor,
    review: { taskId: string; comment?: string | undefined },
    options?: WriteOptions,
  ): Promise<Task>;
  requestChanges(actor: Actor, review: { taskId: string; comment: string }, options?: WriteOptions): Promise<Task>;
  /** Of a member: its own, or its task's. INVALID_AGENT_STATE, RESOURCE_NOT_FOUND. */
  currentOf(member: Member): Promise<Epic>;
}

export interface RecoveryReport {
  /** Members marked FAILED, whose tasks were returned. */
  failedMembers: string[];
  returnedTasks: string[];
  /** Calls that a crash left without an outcome; they have one in the log now. */
  closedCalls: string[];
  mails: number;
}

export interface TeamHealth {
  check(): Promise<HealthReport>;
  /** Notices what is stalled, returns its tasks, mails up the line, closes what a crash left open. */
  recover(): Promise<RecoveryReport>;
  /** It called: a FAILED member is IDLE again. Costs nothing for the others, never throws. */
  noteAlive(member: Pick<Member, 'id' | 'state'>): Promise<void>;
  /** Repeats `recover` until it is closed. */
  start(): { close(): Promise<void> };
  /** Notes until it is closed that this process is there for the member, and for nobody else. */
  attend(memberId: string): { close(): Promise<void> };
}

export interface TeamEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
  at: string;
}

export interface TeamEvents {
  /**
   * A handler in this process; at least once for each event from now on. One that throws is called again later. With a
   * `subscriber`, each event goes to one of the processes that use the same name, and waits while there is none. Without one,
   * every process hears every event; what it has not handled when it ends waits for the next start of the same program.
   */
  on(
    type: string,
    handler: (event: TeamEvent) => void | Promise<void>,
    options?: { subscriber?: string | undefined },
  ): () => void;
  /** Resolves when every handler added so far is known to all processes. */
  registered(): Promise<void>;
  deliveries(query?: {
    state?: Delivery['state'] | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  }): Promise<Page<Delivery>>;
  count(): Promise<{ pending: number; dead: number }>;
  /** RESOURCE_NOT_FOUND when it is no dead letter. */
  retry(deliveryId: string): Promise<void>;
  /** Delivers until it is closed. */
  start(): { close(): Promise<void> };
}

export interface Fault {
  member: Member;
  tool: string;
  callId: string;
  code: string;
  message: string;
  /** Whether the input had been accepted: a critical tool's failure counts from then on. */
  wasAccepted: boolean;
}

import type { ProcessLeases } from '../base/lease.ts';
import type { Escalation, Mail, MailThread, SenderType } from './mail/mail.ts';
import type { Member, MemberState, MemberType } from './members/member.ts';
import type { Delivery } from './members/members.contract.ts';
import type { EpicState, TaskState } from './work/task-moves.ts';
import type { Epic, Task, TaskComment, TaskQuery } from './work/work.ts';

/**
 * The team's rows. A row that a TeamWriter reads by its id is locked until the transaction ends (PostgreSQL; SQLite has
 * one writer at a time), so what was checked still holds when it is changed. Fails as every store does: TRANSIENT_ERROR
 * when the database stays busy, UNAVAILABLE when it cannot be reached.
 */
export interface TeamStore extends TeamReader {
  /** One transaction, all or nothing. `run` may be called again when another process was in the way: no effects elsewhere. */
  write<T>(run: (rows: TeamWriter) => Promise<T>): Promise<T>;
  /** Grows with each change of members; undefined when it cannot be told at once. */
  membersRevision(): number | undefined;
  /** After changes by this process, and soon after those of others. */
  watch(onChange: (what: readonly TeamConcern[]) => void): () => void;
  readonly leases: ProcessLeases;
  readonly deliveries: DeliveryStore;
  readonly subscribers: SubscriberStore;
}

export type TeamConcern = 'members' | 'mail' | 'work';

/** A member as it is stored: without what the decision log knows. */
export type StoredMember = Omit<Member, 'lastActiveAt' | 'hasToken'> & {
  /** SHA-256 of its token, base64url; null: none was made. */
  tokenHash: string | null;
};

interface MailboxQuery {
  /** Null: the person's. */
  toAgentId: string | null;
  includeRead: boolean;
  /** ISO; a member does not see what an older one of its name was sent. */
  since?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface ThreadQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export interface TeamReader {
  member(id: string): Promise<StoredMember | undefined>;
  members(): Promise<StoredMember[]>;
  mail(id: string): Promise<Mail | undefined>;
  /** Newest first, at most `limit`. */
  mailbox(query: MailboxQuery): Promise<Page<Mail>>;
  /** Counts up to `maxUnreadCount`, so that an inbox nobody reads costs no more than others. */
  countUnread(query: Pick<MailboxQuery, 'toAgentId' | 'since'>): Promise<number>;
  /** Oldest first. The newest, or those before the page that gave the cursor: at most 500, fewer where they are large. */
  thread(threadId: string, query?: ThreadQuery): Promise<Page<Mail>>;
  /** Threads in the person's sight, by their newest mail: those with the person (`all: false`), or all of the team. */
  threads(query: {
    all: boolean;
    onlyUnread: boolean;
    onlyEscalations: boolean;
    text?: string | undefined;
    limit: number;
    cursor?: string | undefined;
  }): Promise<Page<MailThread>>;
  epic(id: string): Promise<Epic | undefined>;
  /** Newest change first. */
  epics(query: {
    state?: readonly EpicState[] | undefined;
    limit: number;
    cursor?: string | undefined;
  }): Promise<Page<Epic>>;
  task(id: string): Promise<Task | undefined>;
  /** Newest change first. */
  tasks(query: TaskQuery): Promise<Page<Task>>;
  /** How many tasks each epic has in each state; the key of tasks without an epic is ''. */
  countTasks(): Promise<Map<string, Record<TaskState, number>>>;
  /** Oldest first. */
  comments(taskId: string): Promise<TaskComment[]>;
  /** The times in which there was a hub, oldest first. */
  presence(): Promise<HubPeriod[]>;
}

export interface NewMail {
  id: string;
  threadId: string;
  inReplyTo: string | null;
  fromAgentId: string | null;
  fromAgentType: SenderType;
  toAgentId: string | null;
  isForHuman: boolean;
  subject: string;
  body: string;
  at: number;
  escalation: Omit<Escalation, 'count' | 'lastAt'> | null;
}

export interface StoredMemberChange {
  agent?: string | null;
  type?: MemberType;
  state?: MemberState;
  supervisorId?: string | null;
  currentEpicId?: string | null;
  currentTaskId?: string | null;
  tmuxSessionName?: string | null;
  tokenHash?: string | null;
}

export interface StoredTaskChange {
  title?: string;
  description?: string;
  state?: TaskState;
  epicId?: string | null;
  assigneeId?: string | null;
  worktreePath?: string | null;
  branchName?: string | null;
  prUrl?: string | null;
  completedAt?: number | null;
}

/** A time in which one hub ran without a break. Milliseconds since the epoch. */
export interface HubPeriod {
  from: number;
  to: number;
  /** The only member that could call it; null: everyone could. */
  memberId: string | null;
}

/** Times are milliseconds; ids are made by the caller. */
export interface TeamWriter extends TeamReader {
  /** CONFLICT when the id is taken. */
  addMember(member: StoredMember): Promise<void>;
  /** False when there is none. Sets updatedAt. */
  changeMember(id: string, change: StoredMemberChange, at: number): Promise<boolean>;
  removeMember(id: string): Promise<boolean>;
  /** When it called last, by the decision log (milliseconds): within a transaction nothing may wait for another reader. */
  lastCall(memberId: string): Promise<number | undefined>;
  addMail(mail: NewMail): Promise<void>;
  /** Keeps the first time when it was read before. */
  markRead(mailId: string, at: number): Promise<void>;
  /** All of a thread that is for the person. */
  markThreadRead(threadId: string, at: number): Promise<void>;
  addEpic(epic: Epic): Promise<void>;
  changeEpic(
    id: string,
    change: Partial<Pick<Epic, 'title' | 'description' | 'state' | 'linearIssueId' | 'linearIssueUrl'>> & {
      completedAt?: number | null;
    },
    at: number,
  ): Promise<boolean>;
  /** Tasks and members that were in it are in none then. */
  removeEpic(id: string): Promise<boolean>;
  addTask(task: Task): Promise<void>;
  /** Sets updatedAt, and stateSince when the state is another one. */
  changeTask(id: string, change: StoredTaskChange, at: number): Promise<boolean>;
  /** With its comments; a member whose current task it was has none then. */
  removeTask(id: string): Promise<boolean>;
  /** The oldest PENDING task without an assignee and of no closed epic (of this one, when given) that no other transaction is claiming; locked. */
  nextPendingTask(epicId: string | null): Promise<Task | undefined>;
  addComment(comment: { id: string; taskId: string; authorId: string | null; body: string; at: number }): Promise<void>;
  /** An event of the outbox, with one delivery for each target and for each subscriber of its type. Written with what caused it, or not at all. */
  addEvent(event: { id: string; type: string; data: string; at: number }, targets: readonly string[]): Promise<void>;
  /**
   * Reserves an idempotency key for this transaction; a second transaction with the same key waits for the first.
   * `known`: it was used before, with what it answered (null: the outcome of that call is not known).
   */
  claimKey(
    claim: KeyClaim,
  ): Promise<{ isNew: true } | { isNew: false; tool: string; inputHash: string; answer: string | null }>;
  keepAnswer(owner: string, key: string, answer: string): Promise<void>;
  /** For a call that failed: the key is free again. */
  releaseKey(owner: string, key: string): Promise<void>;
  /**
   * Mails about the same fault that were sent at `since` or later, and not after `until`. A second transaction that asks waits for
   * the first.
   */
  escalations(fault: string, since: number, until?: number): Promise<{ mailId: string }[]>;
  noteEscalation(entry: { fault: string; mailId: string; at: number }): Promise<void>;
  /** Raises the count of these mails; they become unread again for nobody. */
  countEscalation(mailIds: readonly string[], at: number): Promise<void>;
  /**
   * Extends the period `continues` of this hub when the store has it as it was written last; otherwise begins a new one. Returns
   * when the period began.
   */
  notePresence(beat: {
    hub: string;
    memberId: string | null;
    now: number;
    continues: Pick<HubPeriod, 'from' | 'to'> | undefined;
    keepFrom: number;
  }): Promise<number>;
}

export interface KeyClaim {
  /** The member's id; '' for the person. */
  owner: string;
  key: string;
  tool: string;
  inputHash: string;
  at: number;
}

/** Who wants to hear of events by a handler. */
export interface SubscriberStore {
  /**
   * Returns the target of the deliveries, which are made from now on. A name is shared by every process that uses it. For a
   * program: the target that a process of it left behind, or a new one.
   */
  register(request: { type: string; now: number } & ({ name: string } | { program: string })): Promise<string>;
  /** Says that they are used. A subscriber that a restored backup or a cleaning lost is registered again. */
  seen(subscribers: readonly { target: string; type: string }[], now: number): Promise<void>;
  /** Gives up the places of this process, for another one to take. */
  left(targets: readonly string[], now: number): Promise<void>;
  /** Deletes a subscriber of this process, with what waits for it. */
  forget(target: string): Promise<void>;
  /** Deletes those that were not seen since, with what waits for them. */
  prune(before: number): Promise<void>;
}

/** The outbox from the side of whoever delivers it. */
export interface DeliveryStore {
  /** Takes due deliveries, each by one process only: new ones, which no clock holds back, then the longest due. */
  take(request: { targets: readonly string[]; now: number; limit: number }): Promise<Delivery[]>;
  /**
   * Makes due what waits longer than it was told to, because the clock was set back since. `delays`: by the number of attempts,
   * from none on.
   */
  bringForward(request: { target: string; now: number; delays: readonly number[] }): Promise<void>;
  /** Takes what processes that are gone were delivering, and what this one took and does not deliver: all but `running`. */
  takeLeft(request: { target: string; running: ReadonlySet<string>; limit: number }): Promise<Delivery[]>;
  /** Counts the attempt. */
  done(id: string, at: number): Promise<void>;
  /** Counts the attempt, unless another process has taken it over. `nextAttemptAt: null` makes it a dead letter. */
  failed(id: string, failure: { error: string; nextAttemptAt: number | null }): Promise<void>;
  /** Newest first. */
  list(query: {
    state?: Delivery['state'] | undefined;
    limit: number;
    cursor?: string | undefined;
  }): Promise<Page<Delivery>>;
  count(): Promise<{ pending: number; dead: number }>;
  /** A dead letter is due again, with no attempts counted. False when it is none. */
  revive(id: string): Promise<boolean>;
  /** Deletes delivered events and idempotency keys from before. */
  prune(before: number): Promise<void>;
}

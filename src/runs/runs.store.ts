import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import { parseCursor, toPage } from '../db/page.ts';
import { cleanText, slices } from '../db/rows.ts';
import type { Message } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import type { RunFilter, RunProgress, RunStore, StoredRun, StoredRunDetail } from '../engine/run-store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { readAnswered } from './answered-runs.store.ts';
import { countOldRuns, deleteOldRuns } from './delete-runs.store.ts';
import { findFailures, type RunningRuns, totalsOf, whereRuns } from './find-runs.store.ts';
import { addMessages, messagesOfRun } from './messages.store.ts';
import { addArguments, readArguments } from './run-arguments.store.ts';
import { addCall, type RunLinks, readCalled, readCaller, readLinks } from './run-calls.store.ts';
import { readStep, readSteps, StepWriter } from './run-steps.store.ts';
import { type FailedRun, failedStatuses, type RunMessage, type RunTotals, type StoredRunHistory } from './runs.ts';

const maxRows = 500;
const runsAtOnce = 50;
const maxTitleCharacters = 500;
/** The number of runs in progress that a filter by state looks at. */
const maxRunning = 1_000;
const maxReasonCharacters = 10_000;
const lostProcess = 'The process ended before the run was complete.';

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

interface RunParts {
  database: Database;
  clock: Clock;
  leases: Leases;
  redact?: Redact | undefined;
}

/** The stored runs. A run is a range of a conversation: of its chat, which stores the messages, or of its own. */
export class StoredRuns implements StoredRunHistory {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #redact: Redact;
  readonly #steps: StepWriter;
  /** Runs of this process that have not ended, with the number of their stored steps. */
  readonly #active = new Map<string, number>();

  constructor(parts: RunParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#leases = parts.leases;
    this.#redact = parts.redact ?? ((text) => text);
    this.#steps = new StepWriter(this.#redact);
  }

  async begin(run: Parameters<StoredRunHistory['begin']>[0]): Promise<void> {
    const now = this.#clock.now();
    const { id, chatId, messages } = run;
    const row: RunRow = {
      id,
      agent_id: run.agentId,
      model: cleanText(run.model),
      status: 'running',
      reason: null,
      error: null,
      started_at: now,
      holder: this.#leases.holder,
      heartbeat_at: now,
      finished_at: null,
      ticks: 0,
      usage: JSON.stringify(noUsage),
      cost: null,
      title: this.#clean(run.title, maxTitleCharacters),
      messages: messages.length,
      calls: '[]',
      outside: this.#redact(JSON.stringify(run.outside ?? [])),
      thread_id: chatId ?? id,
    };
    const isKnown = this.#active.has(id);
    // Before the row can be seen: a run that is not active counts as interrupted.
    if (!isKnown) this.#active.set(id, 0);
    try {
      await this.#database.write(async ({ db }) => {
        await this.#leases.enter(db);
        const added = await db
          .insertInto('runs')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (added.numInsertedOrUpdatedRows === 0n)
          throw new HubError('CONFLICT', `There is already a run with the id "${id}".`);
        await addMessages(db, this.#redact, { threadId: id, runId: id, messageId: null, known: 0, messages });
        await addArguments(db, this.#redact, run);
        if (run.calledBy) await addCall(db, this.#redact, { id, calledBy: run.calledBy });
      });
    } catch (error) {
      if (!isKnown) this.#active.delete(id);
      throw error;
    }
  }

  save(id: string, progress: RunProgress): Promise<void> {
    return this.#change(id, progress, {});
  }

  async finish(id: string, end: Parameters<RunStore['finish']>[1]): Promise<void> {
    const { error } = end;
    try {
      await this.#change(id, end, {
        status: end.status,
        reason: this.#clean(end.reason, maxReasonCharacters),
        error: error && JSON.stringify({ ...error, message: this.#clean(error.message, maxReasonCharacters) }),
        finished_at: this.#clock.now(),
      });
    } finally {
      // Even if the end cannot be stored, the run is over.
      this.#active.delete(id);
    }
  }

  async list(options: Parameters<RunStore['list']>[0]): Promise<{ runs: StoredRun[]; cursor: string | null }> {
    const limit = Math.min(Math.max(options.limit, 1), maxRows);
    const cursor = parseCursor(options.cursor);
    const where = await this.#whereOf(options);
    const rows = await this.#database.read((db) => {
      let query = whereRuns(db.selectFrom('runs').selectAll(), options, where);
      if (cursor)
        query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('started_at', 'id'), '<', tuple(...cursor)));
      return query
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
    });
    const [isSilent, linksOf] = await this.#around(rows);
    const page = toPage(rows, limit, {
      item: (row) => toRun(row, isSilent, linksOf(row.id)),
      position: (row) => [row.started_at, row.id],
    });
    return { runs: page.items, cursor: page.cursor };
  }

  async totals(filter: RunFilter): Promise<RunTotals> {
    const where = await this.#whereOf(filter);
    return this.#database.read((db) => totalsOf(db, filter, where));
  }

  async get(id: string): Promise<StoredRunDetail> {
    const row = await this.#rowOf(id);
    const { messages, steps, chat, caller, called, given } = await this.#database.read(async (db) => ({
      messages: await messagesOfRun(db, row),
      steps: await readSteps(db, id),
      chat: await db.selectFrom('chats').select('id').where('id', '=', row.thread_id).executeTakeFirst(),
      caller: await readCaller({ db, dialect: this.#database.dialect }, id),
      called: await readCalled(db, id),
      given: await readArguments(db, id),
    }));
    const [isSilent, linksOf] = await this.#around([row, ...called]);
    return {
      ...toRun(row, isSilent, linksOf(id)),
      chatId: chat?.id ?? null,
      // Both were written from these types.
      messages: messages.map(({ message }): Message => JSON.parse(message)),
      calls: JSON.parse(row.calls),
      steps,
      outside: JSON.parse(row.outside),
      arguments: given ?? caller?.arguments ?? {},
      called: called.map((each) => toRun(each, isSilent, linksOf(each.id))),
      caller,
    };
  }

  async step(id: string, step: number): ReturnType<StoredRunHistory['step']> {
    const found = await this.#database.read((db) => readStep(db, { runId: id, step }));
    if (found) return found;
    await this.#rowOf(id);
    throw new HubError('NOT_FOUND', `The run "${id}" has no recorded step ${step}.`);
  }

  answered(ids: readonly string[]): ReturnType<StoredRunHistory['answered']> {
    return this.#database.read((db) => readAnswered({ db, dialect: this.#database.dialect }, ids));
  }

  async conversation(id: string): Promise<RunMessage[]> {
    const run = await this.#rowOf(id);
    const rows = await this.#database.read((db) => messagesOfRun(db, run));
    const isOfChat = run.thread_id !== id;
    const messages = rows.map((row) => ({
      // `addMessages` wrote it, from this type.
      message: JSON.parse(row.message) as Message,
      runId: row.run_id,
      isPrompt: isOfChat && row.message_id === null,
    }));
    if (isOfChat) return messages;
    // A run outside a chat has one question, and everything before it is the agent's prompt.
    const question = messages.findLastIndex(({ message }) => message.role === 'user');
    return messages.map((each, index) => ({ ...each, isPrompt: index < question }));
  }

  async endAbandoned(): Promise<number> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('runs').select(['id', 'holder']).where('status', '=', 'running').execute(),
    );
    if (rows.length === 0) return 0;
    const gone = await this.#leases.gone(rows.map(({ holder }) => holder));
    const isGone = ({ id, holder }: Pick<RunRow, 'id' | 'holder'>) =>
      holder === this.#leases.holder ? !this.#active.has(id) : gone.has(holder);
    const ids = rows.filter(isGone).map(({ id }) => id);
    let ended = 0;
    for (const some of slices(ids, runsAtOnce)) {
      const updated = await this.#database.write(({ db, changed }) => {
        changed('inbox');
        return db
          .updateTable('runs')
          .set((run) => ({ status: 'interrupted', reason: lostProcess, finished_at: run.ref('heartbeat_at') }))
          .where('id', 'in', some)
          .where('status', '=', 'running')
          .executeTakeFirst();
      });
      ended += Number(updated.numUpdatedRows);
    }
    return ended;
  }

  failures(query: Parameters<StoredRunHistory['failures']>[0]): Promise<FailedRun[]> {
    return findFailures(this.#database, query);
  }

  async hasCompleted(): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db.selectFrom('runs').select('id').where('status', '=', 'completed').limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }

  countOlder(before: number): Promise<number> {
    return countOldRuns(this.#database, before);
  }

  async prune(before: number): Promise<number> {
    return deleteOldRuns(this.#database, { before, ended: await this.#ended() });
  }

  /** Ignores a save after the end. The first statement locks the run, so that no one else adds messages. */
  async #change(id: string, progress: RunProgress, end: Partial<RunRow>): Promise<void> {
    const changes = {
      ticks: progress.ticks,
      usage: JSON.stringify(progress.usage),
      cost: progress.cost,
      calls: this.#redact(JSON.stringify(progress.calls)),
      outside: this.#redact(JSON.stringify(progress.outside ?? [])),
      heartbeat_at: this.#clock.now(),
      ...end,
    };
    const stored = this.#active.get(id) ?? 0;
    const steps = progress.steps?.slice(stored) ?? [];
    const prompts = await this.#database.write(async (write) => {
      const row = await write.db
        .updateTable('runs')
        .set(changes)
        .where('id', '=', id)
        .where('status', '=', 'running')
        .returning('messages')
        .executeTakeFirst();
      if (row) {
        const written = await this.#steps.add(write, { id, steps, now: changes.heartbeat_at });
        const known = row.messages;
        const messages = progress.messages.slice(known);
        if (failedStatuses.some((status) => status === end.status)) write.changed('inbox');
        if (messages.length === 0) return written;
        await addMessages(write.db, this.#redact, { threadId: id, runId: id, messageId: null, known, messages });
        await write.db
          .updateTable('runs')
          .set({ messages: known + messages.length })
          .where('id', '=', id)
          .execute();
        return written;
      }
      const ended = await write.db.selectFrom('runs').select('id').where('id', '=', id).executeTakeFirst();
      if (!ended) throw notFound(id);
      return [];
    });
    this.#steps.committed(prompts, changes.heartbeat_at);
    if (steps.length > 0 && this.#active.has(id)) this.#active.set(id, stored + steps.length);
  }

  async #rowOf(id: string): Promise<RunRow> {
    const row = await this.#database.read((db) =>
      db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    if (!row) throw notFound(id);
    return row;
  }

  async #whereOf({ state }: RunFilter): Promise<Parameters<typeof whereRuns>[2]> {
    const { dialect } = this.#database;
    const isByProcess = state === 'running' || state === 'interrupted';
    return { dialect, running: isByProcess ? await this.#running() : { alive: [] } };
  }

  async #running(): Promise<RunningRuns> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('runs').selectAll().where('status', '=', 'running').limit(maxRunning).execute(),
    );
    const isSilent = await this.#silent(rows);
    return { alive: rows.filter((row) => !isSilent(row)).map(({ id }) => id) };
  }

  /** Returns what describes runs besides their rows: whether their processes are gone, and the runs above and below them. */
  #around(rows: readonly RunRow[]) {
    const ids = rows.map(({ id }) => id);
    return Promise.all([this.#silent(rows), this.#database.read((db) => readLinks(db, ids))]);
  }

  /** Returns a function that tells whether the process of an unfinished run is gone. */
  async #silent(rows: readonly RunRow[]): Promise<(run: RunRow) => boolean> {
    const holders = rows.flatMap(({ status, holder }) => (status === 'running' ? holder : []));
    const silent = holders.length === 0 ? new Set() : await this.#leases.silent(holders);
    return ({ id, holder }) => (holder === this.#leases.holder ? !this.#active.has(id) : silent.has(holder));
  }

  /** Returns the processes that are gone and left runs without an end. */
  async #ended(): Promise<string[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('runs').select('holder').distinct().where('status', '=', 'running').execute(),
    );
    return [...(await this.#leases.gone(rows.map(({ holder }) => holder)))];
  }

  #clean(text: string, maxCharacters: number): string {
    return this.#redact(cleanText(text)).slice(0, maxCharacters).toWellFormed();
  }
}

function toRun(row: RunRow, isSilent: (run: RunRow) => boolean, links: RunLinks): StoredRun {
  const isInterrupted = row.status === 'running' && isSilent(row);
  return {
    id: row.id,
    agentId: row.agent_id,
    model: row.model,
    // Only this file writes status, error and usage, from these types.
    status: isInterrupted ? 'interrupted' : (row.status as StoredRun['status']),
    reason: row.reason,
    error: row.error === null ? null : JSON.parse(row.error),
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    finishedAt: row.finished_at,
    ticks: row.ticks,
    usage: JSON.parse(row.usage),
    cost: row.cost,
    title: row.title,
    chatId: row.thread_id === row.id ? null : row.thread_id,
    ...links,
  };
}

function notFound(id: string): HubError {
  return new HubError('NOT_FOUND', `There is no run with the id "${id}".`);
}

declare module '../db/tables.ts' {
  interface Tables {
    runs: RunRow;
  }
}

interface RunRow {
  id: string;
  agent_id: string | null;
  model: string;
  status: string;
  reason: string | null;
  error: string | null;
  started_at: number;
  /** The process that runs it; empty for runs from before leases existed. */
  holder: string;
  /** The time of the last save. */
  heartbeat_at: number;
  finished_at: number | null;
  ticks: number;
  usage: string;
  cost: number | null;
  title: string;
  /** The number of messages it stored. A chat stores the messages of its runs itself. */
  messages: number;
  calls: string;
  /** The sources of the text from outside that the conversation had read, as a JSON list. */
  outside: string;
  /** The conversation it is a range of: a chat's, or its own. */
  thread_id: string;
}

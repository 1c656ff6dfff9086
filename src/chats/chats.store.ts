import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import { parseCursor, toPage } from '../db/page.ts';
import { cleanText } from '../db/rows.ts';
import type { ApprovalAnswer } from '../engine/run-events.ts';
import { noUsage } from '../engine/usage.ts';
import { branchesOf, pointOf } from '../runs/branches.store.ts';
import { currentMessages, textsOf } from '../runs/messages.store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { adoptTurns } from './adopt-turns.store.ts';
import { linkedIn } from './attachments/attachment-blocks.ts';
import { attachmentsOf } from './attachments/attachments.store.ts';
import type { ChatEvent, ChatOrigin } from './chat.ts';
import { addEvents, appendAnswer, beginAnswer, type ChatParts, finishAnswer } from './chat-answers.store.ts';
import { branchIds, chooseBranch } from './chat-branches.store.ts';
import { deleteOtherGrants } from './chat-grants.store.ts';
import type { ChatQuery } from './chat-input.ts';
import { isAnswering, noChat, type StoredChatRow, toChatRecord, toEvent } from './chat-rows.store.ts';
import type {
  AdoptedTurns,
  AnswerEnd,
  AnsweringProcess,
  AnswerProgress,
  AnswerRequests,
  AnswerStart,
  ChatRecord,
  ChatStore,
  GivenApproval,
  UserMessage,
} from './chat-store.ts';
import { addTexts, findableMessages, findableText, hasWord, removeTexts, snippetsOf } from './chat-words.store.ts';
import { deleteChat, deleteOld } from './delete-chats.store.ts';
import { openApprovals } from './open-approvals.store.ts';
import { queryWords } from './search-words.ts';

const maxRows = 200;
const prunedAtOnce = 20;

interface StoredChatsParts {
  database: Database;
  clock: Clock;
  leases: Leases;
  redact?: Redact | undefined;
}

/** The stored chats. A chat is a list of events; the fields for lists and models are updated in the same transactions. */
export class StoredChats implements Omit<ChatStore, 'watch'> {
  readonly #database: Database;
  readonly #parts: ChatParts;

  constructor({ redact = (text) => text, ...parts }: StoredChatsParts) {
    this.#database = parts.database;
    this.#parts = { ...parts, redact };
  }

  async create(chat: Parameters<ChatStore['create']>[0]): Promise<void> {
    const { clock, redact } = this.#parts;
    const now = clock.now();
    const { id, origin } = chat;
    const title = redact(cleanText(chat.title));
    const row: StoredChatRow = {
      id,
      agent_id: chat.agentId,
      title,
      model: chat.model,
      origin: origin.kind,
      tool: origin.kind === 'test' ? origin.tool : null,
      parameters: parametersOf(origin, redact),
      arguments: redact(JSON.stringify(chat.arguments)),
      state: 'idle',
      created_at: now,
      updated_at: now,
      usage: JSON.stringify(noUsage),
      cost: 0,
      outside: '[]',
      last_seq: 0,
      messages: 0,
      run_id: null,
      message_id: null,
      start_seq: null,
      holder: null,
      stop_run_id: null,
    };
    await this.#database.write(async (write) => {
      const isNew = await write.db
        .insertInto('chats')
        .values(row)
        .onConflict((each) => each.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!isNew) throw new HubError('CONFLICT', `There is already a chat with the id "${id}".`);
      await addTexts({ db: write.db, dialect: this.#database.dialect, chatId: id }, [title]);
      write.changed('chats');
    });
  }

  adopt(id: string, adopted: AdoptedTurns): Promise<void> {
    return adoptTurns(this.#parts, id, adopted);
  }

  async get(id: string): Promise<ChatRecord> {
    const row = await this.#database.read((db) =>
      db.selectFrom('chats').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    if (!row) throw noChat(id);
    return toChatRecord(row, await this.#processStates([row]));
  }

  async list(query: ChatQuery): ReturnType<ChatStore['list']> {
    const limit = Math.min(Math.max(query.limit, 1), maxRows);
    const cursor = parseCursor(query.cursor);
    const words = queryWords(query.text ?? '');
    // The search text contains no words, so nothing matches.
    if (words.length === 0 && (query.text ?? '').trim() !== '') return { chats: [], cursor: null };
    const rows = await this.#database.read((db) => {
      let found = db.selectFrom('chats').selectAll();
      if (query.agentId !== undefined) found = found.where('agent_id', '=', query.agentId);
      if (query.origin !== undefined) found = found.where('origin', '=', query.origin);
      if (query.tool !== undefined) found = found.where('tool', '=', query.tool);
      for (const word of words) found = found.where(hasWord(word));
      if (cursor)
        found = found.where(({ eb, refTuple, tuple }) => eb(refTuple('updated_at', 'id'), '<', tuple(...cursor)));
      return found
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
    });
    const page = toPage(rows, limit, { item: (row) => row, position: (row) => [row.updated_at, row.id] });
    const snippets = await snippetsOf(this.#database, page.items, words);
    const processState = await this.#processStates(page.items);
    const chats = page.items.map((row) => ({
      ...toChatRecord(row, processState),
      ...(snippets.get(row.id) ?? { snippet: null, isOnOtherBranch: false }),
    }));
    return { chats, cursor: page.cursor };
  }

  async rename(id: string, title: string): Promise<void> {
    const { redact } = this.#parts;
    const cleanTitle = redact(cleanText(title));
    await this.#database.write(async (write) => {
      const { db } = write;
      // The first statement locks the row, so that no one else changes its words.
      const before = await db
        .updateTable('chats')
        .set((each) => ({ title: each.ref('title') }))
        .where('id', '=', id)
        .returning('title')
        .executeTakeFirst();
      if (!before) throw noChat(id);
      await db.updateTable('chats').set({ title: cleanTitle }).where('id', '=', id).execute();
      const messages = await findableMessages(db, id).execute();
      const index = { db, dialect: this.#database.dialect, chatId: id };
      await removeTexts(index, { gone: [before.title], kept: messages.map(findableText) });
      await addTexts(index, [cleanTitle]);
      write.changed('chats');
    });
  }

  async switchTo(id: string, change: Parameters<ChatStore['switchTo']>[1]): Promise<ChatEvent[]> {
    const { agentId, model } = change;
    const argumentsJson = this.#parts.redact(JSON.stringify(change.arguments));
    return this.#database.write(async (write) => {
      const row = await write.db
        .updateTable('chats')
        .set((each) => ({ agent_id: agentId, model, arguments: argumentsJson, last_seq: each('last_seq', '+', 1) }))
        .where('id', '=', id)
        .returning(['last_seq', 'run_id'])
        .executeTakeFirst();
      if (!row) throw noChat(id);
      if (row.run_id !== null) throw isAnswering(id);
      await deleteOtherGrants(write, id, agentId);
      write.changed('chats');
      return addEvents(this.#parts, write, {
        id,
        after: row.last_seq - 1,
        events: [{ type: 'switched', agentId, model }],
      });
    });
  }

  async remove(id: string): Promise<boolean> {
    return this.#database.write(async (write) => {
      const isGone = await deleteChat({ db: write.db, dialect: this.#database.dialect }, id);
      if (isGone) write.changed('chats');
      return isGone;
    });
  }

  async prune(before: number, { except }: { except: readonly string[] }): Promise<string[]> {
    const pruned: string[] = [];
    const held = await this.#database.read((db) =>
      db.selectFrom('chats').select('holder').distinct().where('holder', 'is not', null).execute(),
    );
    const ended = [...(await this.#parts.leases.gone(held.flatMap(({ holder }) => holder ?? [])))];
    for (;;) {
      const { deletedIds, hasMore } = await this.#database.write(async (write) => {
        const deletion = { db: write.db, dialect: this.#database.dialect };
        const deleted = await deleteOld(deletion, { before, ended, except, limit: prunedAtOnce });
        if (deleted.deletedIds.length > 0) write.changed('chats');
        return deleted;
      });
      pruned.push(...deletedIds);
      if (!hasMore) return pruned;
    }
  }

  async countOlder(before: number): Promise<number> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('chats')
        .select((each) => each.fn.countAll<number | string>().as('count'))
        .where('updated_at', '<', before)
        .executeTakeFirstOrThrow(),
    );
    return Number(row.count);
  }

  begin(id: string, start: AnswerStart): Promise<ChatEvent[]> {
    return beginAnswer(this.#parts, id, start);
  }

  append(id: string, progress: AnswerProgress): Promise<ChatEvent[]> {
    return appendAnswer(this.#parts, id, progress);
  }

  finish(id: string, end: AnswerEnd): Promise<ChatEvent[]> {
    return finishAnswer(this.#parts, id, end);
  }

  async events(id: string, { after, limit }: { after: number; limit: number }): Promise<ChatEvent[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('chat_events')
        .select(['seq', 'at', 'event'])
        .where('chat_id', '=', id)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute(),
    );
    return rows.map(toEvent);
  }

  async messages(id: string, { upTo }: { upTo?: string | undefined } = {}): ReturnType<ChatStore['messages']> {
    if (upTo === '') return [];
    const rows = await this.#database.read(async (db) => {
      const messages =
        upTo === undefined
          ? currentMessages(db, id)
          : db
              .selectFrom('messages')
              .where('thread_id', '=', id)
              .where('message_id', 'in', await branchIds(db, id, upTo));
      return messages.select(['message_id', 'message']).orderBy('ordinal').execute();
    });
    return rows.map((row) => ({ messageId: row.message_id ?? '', message: JSON.parse(row.message) }));
  }

  async parentOf(id: string, messageId: string): Promise<string> {
    return this.#database.read(async (db) => pointOf(await branchesOf(db, id), messageId).parentId);
  }

  chooseBranch(id: string, messageId: string): Promise<ChatEvent[]> {
    return chooseBranch(this.#parts, id, messageId);
  }

  async lastMessage(id: string): Promise<UserMessage | undefined> {
    const row = await this.#database.read((db) =>
      currentMessages(db, id)
        .select(['message_id', 'message'])
        .where('message_id', '=', currentMessages(db, id).select('message_id').orderBy('ordinal', 'desc').limit(1))
        .orderBy('ordinal')
        .executeTakeFirst(),
    );
    return row && toUserMessage(row);
  }

  async message(id: string, messageId: string): Promise<UserMessage> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('messages')
        .select(['message_id', 'message'])
        .where('thread_id', '=', id)
        .where('message_id', '=', messageId)
        .orderBy('ordinal')
        .executeTakeFirst(),
    );
    if (!row) throw new HubError('NOT_FOUND', `There is no message "${messageId.slice(0, 80)}" in this chat.`);
    return toUserMessage(row);
  }

  attachments(id: string, hashes: readonly string[]): ReturnType<ChatStore['attachments']> {
    return this.#database.read((db) => attachmentsOf(db, id, hashes));
  }

  async unattended(): Promise<string[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('chats').select(['id', 'holder']).where('run_id', 'is not', null).execute(),
    );
    if (rows.length === 0) return [];
    const { leases } = this.#parts;
    const ended = await leases.gone(rows.map(({ holder }) => holder ?? ''));
    return rows.flatMap(({ id, holder }) => (holder === leases.holder || ended.has(holder ?? '') ? id : []));
  }

  async requestStop(id: string, runId: string): Promise<void> {
    await this.#database.write(({ db }) =>
      db.updateTable('chats').set({ stop_run_id: runId }).where('id', '=', id).where('run_id', '=', runId).execute(),
    );
  }

  async approve(id: string, toolUseId: string, answer: ApprovalAnswer): Promise<GivenApproval> {
    return this.#database.write(async ({ db }) => {
      const approval = await db
        .updateTable('chat_approvals')
        .set({ answer })
        .where('chat_id', '=', id)
        .where('tool_use_id', '=', toolUseId)
        .where('answer', 'is', null)
        .returning(['run_id', 'seq'])
        .executeTakeFirst();
      if (approval) return { runId: approval.run_id, seq: approval.seq, toolUseId, answer };
      const before = await db
        .selectFrom('chat_approvals')
        .select(['run_id', 'seq', 'answer'])
        .where('chat_id', '=', id)
        .where('tool_use_id', '=', toolUseId)
        .orderBy('seq', 'desc')
        .executeTakeFirst();
      if (!before) {
        const message = `No call "${toolUseId.slice(0, 80)}" is waiting for approval in chat ${id.slice(0, 80)}.`;
        throw new HubError('NOT_FOUND', message);
      }
      if (before.answer === answer) return { runId: before.run_id, seq: before.seq, toolUseId, answer };
      throw new HubError('CONFLICT', `The call was already answered with "${before.answer}".`);
    });
  }

  openApprovals(limit: number): ReturnType<ChatStore['openApprovals']> {
    return openApprovals(this.#database, limit);
  }

  async requests(): Promise<AnswerRequests> {
    const { holder } = this.#parts.leases;
    return this.#database.read(async (db) => {
      const stops = await db
        .selectFrom('chats')
        .select('stop_run_id')
        .where('holder', '=', holder)
        .where('stop_run_id', 'is not', null)
        .execute();
      const approvals = await db
        .selectFrom('chat_approvals')
        .innerJoin('chats', 'chats.id', 'chat_approvals.chat_id')
        .select(['chat_approvals.run_id', 'seq', 'tool_use_id', 'answer'])
        .where('holder', '=', holder)
        .where('answer', 'is not', null)
        .execute();
      return {
        stops: stops.flatMap(({ stop_run_id }) => stop_run_id ?? []),
        approvals: approvals.map((row) => ({
          runId: row.run_id,
          seq: row.seq,
          toolUseId: row.tool_use_id,
          // Only `approve` writes it.
          answer: row.answer as ApprovalAnswer,
        })),
      };
    });
  }

  async #processStates(rows: readonly StoredChatRow[]): Promise<(holder: string) => AnsweringProcess['state']> {
    const { leases } = this.#parts;
    const endedHolders = await leases.gone(
      rows.flatMap(({ run_id, holder }) => (run_id === null ? [] : (holder ?? ''))),
    );
    return (holder) => (endedHolders.has(holder) ? 'gone' : holder === leases.holder ? 'here' : 'elsewhere');
  }
}

/** Returns the message of the user that the first row with its id holds. */
function toUserMessage({ message_id, message }: { message_id: string | null; message: string }): UserMessage {
  const attachments = linkedIn(JSON.parse(message));
  return { messageId: message_id ?? '', text: textsOf(message).join(''), attachments };
}

/** What an origin needs besides its kind, as JSON. */
function parametersOf(origin: ChatOrigin, redact: Redact): string | null {
  if (origin.kind === 'test') return redact(JSON.stringify(origin.parameters));
  if (origin.kind === 'a2a' && origin.contextId !== undefined) return JSON.stringify({ contextId: origin.contextId });
  return null;
}

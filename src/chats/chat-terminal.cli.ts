import type { KnownAgents } from '../agents/find-agent.cli.ts';
import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import { parseWith } from '../base/validate.ts';
import { isTerminal } from '../cli/terminal/ask.ts';
import { type CliContext, colorsFor } from '../cli/terminal/context.ts';
import type { LineReader } from '../cli/terminal/line-reader.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import type { RecordsActs } from '../decisions/record-act.ts';
import { approvalKeys, approvalWithoutAsking, recordApproval, showApproval, toApproval } from './approval.cli.ts';
import type { Chat, ChatEvent } from './chat.ts';
import type { ChatGrantStore } from './chat-grants.ts';
import { ChatChange, MessageInput, type NewChat, NewChatInput } from './chat-input.ts';
import type { Chats } from './chats.ts';
import {
  type AnswerPrinter,
  answerPrinter,
  emptyAnswer,
  type Listener,
  listener,
  tokensAndCost,
} from './print-answer.cli.ts';

/** An existing chat, or one that is created with its first message. */
export type Talk = { chat: Chat } | { draft: NewChat };

/** The available agents, and the configured models. */
export interface Answering extends KnownAgents, RecordsActs {
  readonly models: { defaultModel(): Promise<{ model: string | null; from: string }> };
  readonly store: { readonly chatGrants: ChatGrantStore };
}

interface ChatTerminalParts {
  context: CliContext;
  answering: Answering;
  chats: Chats;
  reader: LineReader;
  talk: Talk;
  yes?: boolean | undefined;
}

type AnswerFinished = Extract<ChatEvent, { type: 'answer.finished' }>;
type ApprovalNeeded = Extract<ChatEvent, { type: 'approval.needed' }>;

/** One chat at a terminal or a pipe: sends what is typed, shows answers as they come, and asks for approvals. */
export class ChatTerminal {
  readonly context: CliContext;
  readonly answering: Answering;
  readonly chats: Chats;
  readonly reader: LineReader;
  readonly printer: AnswerPrinter;
  failure: unknown;
  readonly #yes: boolean;
  readonly #ending = new AbortController();
  /** The open approvals, by call id. */
  readonly #questions = new Map<string, AbortController>();
  #talk: Talk;
  #isAnswering = false;
  #isStopping = false;
  #isAnswered = true;

  constructor({ context, answering, chats, reader, talk, yes }: ChatTerminalParts) {
    this.context = context;
    this.answering = answering;
    this.chats = chats;
    this.reader = reader;
    this.printer = answerPrinter(context);
    this.#talk = talk;
    this.#yes = yes ?? false;
  }

  get agentId(): string {
    return 'chat' in this.#talk ? this.#talk.chat.agentId : this.#talk.draft.agentId;
  }

  /** Null if the agent or the config decides. */
  get model(): string | null {
    return 'chat' in this.#talk ? this.#talk.chat.model : (this.#talk.draft.model ?? null);
  }

  /** Undefined before the first message. */
  get chatId(): string | undefined {
    return 'chat' in this.#talk ? this.#talk.chat.id : undefined;
  }

  get isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  /** True if the last answer was complete and not empty, or if there was none. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Stops the answer in progress. At the prompt, or when called again, ends the chat. */
  interrupt(): void {
    const { chatId } = this;
    if (!this.#isAnswering || this.#isStopping || chatId === undefined) {
      this.end();
      return;
    }
    this.#isStopping = true;
    this.chats.stop(chatId).catch((error: unknown) => this.#tellBeside(error));
  }

  end(): void {
    this.#ending.abort('The chat was ended.');
    this.reader.close();
  }

  /** Prints an error. The chat continues. */
  tell(error: unknown): void {
    if (!(error instanceof HubError)) throw error;
    this.printer.note(`zoo: ${printableLine(error.message)}`);
  }

  /** Handles errors outside the loop. An unexpected one ends the chat, and the loop throws it as `failure`. */
  #tellBeside(error: unknown): void {
    if (error instanceof HubError) this.tell(error);
    else {
      this.failure = error;
      this.end();
    }
  }

  async send(text: string, replaces?: string): Promise<void> {
    const talk = this.#talk;
    if ('draft' in talk) {
      // Reads events from the first one, so that nothing is missed.
      const draft = parseWith(NewChatInput, { ...talk.draft, message: text });
      this.#talk = { chat: await this.chats.create(draft) };
      return this.follow({ after: 0 });
    }
    const { lastSeq: after } = await this.chats.get(talk.chat.id);
    const { runId } = await this.chats.send(talk.chat.id, parseWith(MessageInput, { text, replaces }));
    await this.follow({ after, runId });
  }

  async retry(): Promise<void> {
    const chat = await this.begun();
    const { lastSeq: after } = await this.chats.get(chat.id);
    const { runId } = await this.chats.retry(chat.id);
    await this.follow({ after, runId });
  }

  async change(change: Omit<ChatChange, 'title'>): Promise<void> {
    const talk = this.#talk;
    if ('chat' in talk) {
      this.#talk = { chat: await this.chats.update(talk.chat.id, parseWith(ChatChange, change)) };
      return;
    }
    const { model, ...rest } = change;
    this.#talk = { draft: { ...talk.draft, ...rest, ...(model !== undefined && { model: model ?? undefined }) } };
  }

  /** Returns the stored chat, and creates it if it has no message yet. */
  async begun(): Promise<Chat> {
    const chat =
      'chat' in this.#talk ? this.#talk.chat : await this.chats.create(parseWith(NewChatInput, this.#talk.draft));
    this.#talk = { chat };
    return chat;
  }

  /** Shows an answer until it ends: the one with this id, or the next one that starts. */
  async follow({ after, runId }: { after: number; runId?: string }): Promise<void> {
    const chat = await this.begun();
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, enough.signal]);
    const heard = listener();
    let followed = runId;
    this.#isAnswering = true;
    this.#isStopping = false;
    try {
      for await (const event of this.chats.events(chat.id, { after, signal })) {
        if (event.type === 'answer.started') followed ??= event.runId;
        if (!('runId' in event) || event.runId !== followed) continue;
        this.#show(chat.id, event, heard);
        if (event.type === 'answer.finished') break;
      }
    } finally {
      enough.abort('It was read.');
      for (const question of this.#questions.values()) question.abort('The answer has ended.');
      this.#isAnswering = false;
    }
  }

  #show(chatId: string, event: ChatEvent, heard: Listener): void {
    heard.hear(event);
    switch (event.type) {
      case 'text':
      case 'tool.called':
      case 'tool.finished':
      case 'tick.retried':
        this.printer.show(event);
        return;
      case 'approval.needed':
        void this.#approve(chatId, event).catch((error: unknown) => this.#tellBeside(error));
        return;
      case 'approval.given':
        // It may have been given in another terminal or in the web app.
        this.#questions.get(event.id)?.abort('It was answered.');
        return;
      case 'answer.finished':
        this.#showEnd(event, heard);
        return;
      default:
        return;
    }
  }

  #showEnd({ status, reason, error, usage, cost }: AnswerFinished, { isEmpty }: Listener): void {
    this.#isAnswered = status === 'completed' && !isEmpty;
    const { dim, red } = colorsFor(this.context, this.context.stderr);
    this.printer.end();
    if (status !== 'completed') this.printer.note(red(printableLine(error?.message ?? reason)));
    else if (isEmpty) this.printer.note(red(`${emptyAnswer} Type /retry to ask again.`));
    this.printer.note(dim(tokensAndCost(usage, cost)));
  }

  async #approve(chatId: string, needed: ApprovalNeeded): Promise<void> {
    const { id, tool } = needed;
    const question = new AbortController();
    this.#questions.set(id, question);
    try {
      const known = approvalWithoutAsking(this.context, { yes: this.#yes }, tool);
      const answer = known ?? toApproval(await this.#ask(needed, question.signal));
      await this.chats.answer(chatId, id, answer);
      await recordApproval(this.answering, 'zoo chat', { tool, answer, chatId });
    } catch (error) {
      // Someone else was faster, or the answer has ended.
      const isAnswered = error instanceof HubError && (error.code === 'NOT_FOUND' || error.code === 'CONFLICT');
      if (!question.signal.aborted && !isAnswered) throw error;
    } finally {
      this.#questions.delete(id);
    }
  }

  async #ask(needed: ApprovalNeeded, signal: AbortSignal): Promise<string> {
    this.printer.end();
    this.reader.forget();
    const question = await showApproval(this.context, needed, (prompt) => this.reader.next({ prompt, signal }));
    const prompt = `${question} [${approvalKeys.join('/')}] `;
    for (;;) {
      const typed = await this.reader.next({ prompt, signal });
      // Leaving counts as a denial.
      if (typed === null) return 'no';
      const word = typed.trim().toLowerCase();
      const found = approvalKeys.find((key) => word !== '' && key.startsWith(word));
      if (found !== undefined) return found;
    }
  }
}

/** The error for an unknown command. */
export function unknownCommand(word: string, names: readonly string[]): HubError {
  const near = nearest(word, names);
  return new HubError(
    'INVALID_ARGUMENTS',
    `Unknown command /${word.slice(0, 40)}. ${near ? `Did you mean /${near}?` : 'Type /help for a list.'} To start a message with a slash, type two.`,
  );
}

export function promptOf(terminal: ChatTerminal): string {
  if (!isTerminal(terminal.context)) return '';
  const { bold, cyan } = colorsFor(terminal.context, terminal.context.stderr);
  return bold(cyan(`${terminal.agentId}> `));
}

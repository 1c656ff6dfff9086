import { refuseUndeclared } from '../agents/check-arguments.cli.ts';
import { findAgent } from '../agents/find-agent.cli.ts';
import { checkNamed, namedAgent } from '../agents/named-agent.cli.ts';
import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, openHub } from '../cli/open-hub.ts';
import { isTerminal } from '../cli/terminal/ask.ts';
import { type CliContext, colorsFor } from '../cli/terminal/context.ts';
import { LineReader } from '../cli/terminal/line-reader.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { printable, printableLine } from '../cli/terminal/text-width.ts';
import type { Chat } from './chat.ts';
import { runChatCommand } from './chat-commands.cli.ts';
import { ChatChange } from './chat-input.ts';
import { type Answering, ChatTerminal, promptOf, type Talk } from './chat-terminal.cli.ts';
import type { Chats } from './chats.ts';
import { readTranscript } from './read-transcript.cli.ts';

export interface ChatOptions extends ConfigOption {
  model?: string;
  arg: Record<string, string>;
  /** Continues the newest chat with the agent. */
  continue?: boolean;
  chat?: string;
  yes?: boolean;
}

/** `zoo chat`: sends typed lines and prints answers on stdout, everything else on stderr. */
export async function chat(context: CliContext, agent: string | undefined, options: ChatOptions): Promise<void> {
  const logger = createLogger(context, { level: 'warn' });
  const named = agent === undefined ? undefined : await namedAgent(context, agent);
  const agentFiles = named?.file ? [named.file] : [];
  const hub = await openHub(context, { ...options, watch: true, logger, agentFiles });
  try {
    const { chats } = hub;
    if (named?.file) await checkNamed(hub, named);
    const talk = await openTalk(hub, chats, { agentId: named?.id, ...options });
    await converse(context, { answering: hub, chats, talk, ...options });
  } finally {
    await hub.close();
  }
}

async function openTalk(
  answering: Answering,
  chats: Chats,
  { agentId, chat: id, continue: isContinued, model, arg }: ChatOptions & { agentId: string | undefined },
): Promise<Talk> {
  if (id !== undefined && isContinued) throw new UsageError('Use --continue or --chat, not both.');
  if ((id !== undefined || isContinued) && Object.keys(arg).length > 0)
    throw new UsageError('You can set --arg only for a new chat.');
  const known = await knownChat(chats, { id, isContinued, agentId });
  if (!known) {
    if (agentId === undefined) throw new UsageError('Name an agent: zoo chat AGENT. "zoo agent list" lists them.');
    const { agent } = await findAgent(answering, agentId);
    refuseUndeclared(agent, arg);
    return { draft: { agentId: agent.id, arguments: arg, ...(model !== undefined && { model }) } };
  }
  if (agentId !== undefined && agentId !== known.agentId)
    throw new UsageError(
      `That chat is with "${known.agentId}". Leave out the agent, or switch agents in the chat with /agent.`,
    );
  return { chat: model === undefined ? known : await chats.update(known.id, parseWith(ChatChange, { model })) };
}

interface Asked {
  id: string | undefined;
  isContinued: boolean | undefined;
  agentId: string | undefined;
}

async function knownChat(chats: Chats, { id, isContinued, agentId }: Asked): Promise<Chat | undefined> {
  if (id !== undefined) return chats.get(id);
  if (!isContinued) return undefined;
  const [newest] = (await chats.list({ agentId, origin: 'chat', limit: 1 })).chats;
  if (newest) return chats.get(newest.id);
  throw new HubError(
    'NOT_FOUND',
    agentId === undefined
      ? 'You have no chats yet. Start one with "zoo chat AGENT".'
      : `You have no chats with "${agentId}" yet. Start one with "zoo chat ${agentId}".`,
  );
}

/** One Ctrl-C can arrive twice: from the terminal, and through npm or our launcher. */
const sameKeyPressMs = 400;

async function converse(
  context: CliContext,
  parts: { answering: Answering; chats: Chats; talk: Talk; yes?: boolean | undefined },
): Promise<void> {
  const reader = new LineReader(context, () => terminal.interrupt());
  const terminal = new ChatTerminal({ context, reader, ...parts });
  let pressedAt = 0;
  const onInterrupt = () => {
    if (Date.now() - pressedAt < sameKeyPressMs) return;
    pressedAt = Date.now();
    terminal.interrupt();
  };
  const onEnd = () => terminal.end();
  process.on('SIGINT', onInterrupt);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, onEnd);
  try {
    await greet(terminal);
    const wasAccepted = await sendLines(terminal);
    if (terminal.failure !== undefined) throw terminal.failure;
    endChat(terminal, wasAccepted);
  } finally {
    process.off('SIGINT', onInterrupt);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, onEnd);
    reader.close();
  }
}

/** Returns whether the last line was accepted. */
async function sendLines(terminal: ChatTerminal): Promise<boolean> {
  let wasAccepted = true;
  while (!terminal.isEnding) {
    const text = await readMessage(terminal);
    if (text === null) break;
    if (text.trim() === '') continue;
    try {
      if (/^\/(?!\/)/.test(text)) await runChatCommand(terminal, text);
      else await terminal.send(text.startsWith('//') ? text.slice(1) : text);
      wasAccepted = true;
    } catch (error) {
      terminal.tell(error);
      wasAccepted = false;
    }
  }
  return wasAccepted;
}

/** Joins lines that end in a backslash with the next one. */
async function readMessage(terminal: ChatTerminal): Promise<string | null> {
  let text = '';
  for (;;) {
    const line = await terminal.reader.next({ prompt: text === '' ? promptOf(terminal) : '… ' });
    if (line === null) return text === '' ? null : text;
    if (!line.endsWith('\\')) return text + line;
    text += `${line.slice(0, -1)}\n`;
  }
}

/** Shows the last message of an existing chat, and its answer if one is in progress. */
async function greet(terminal: ChatTerminal): Promise<void> {
  const { context, chats, chatId, printer } = terminal;
  const { dim } = colorsFor(context, context.stderr);
  if (isTerminal(context)) {
    const model = terminal.model === null ? '' : `, ${terminal.model}`;
    printer.note(dim(`Chat with ${terminal.agentId}${model}. Type /help for commands.`));
  }
  if (chatId === undefined) return;
  const chat = await chats.get(chatId);
  const last = (await readTranscript(chats, chat)).turns.at(-1);
  const answer = last?.answers.at(-1);
  if (!last || !answer) return;
  if (isTerminal(context)) printer.note(dim(`> ${printableLine(last.text)}`));
  if (answer.status === 'answering') return terminal.follow({ after: 0, runId: answer.runId });
  if (isTerminal(context)) {
    const answerText = answer.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    printer.note(dim(printable(answerText).trim()));
  }
  if (answer.status !== 'completed')
    printer.note(`The last answer is incomplete (${answer.status}). Type /retry to ask again.`);
}

/** In a pipe, sets the exit code to 1 if the last line was rejected, or the last answer is empty or incomplete. */
function endChat({ context, chatId, isAnswered }: ChatTerminal, wasAccepted: boolean): void {
  if (isTerminal(context)) {
    if (chatId !== undefined) context.stderr.write(`Continue with: zoo chat --chat ${chatId}\n`);
  } else if (!wasAccepted || !isAnswered) context.exitCode = 1;
}

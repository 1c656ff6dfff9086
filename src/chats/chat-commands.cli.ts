import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { indent } from '../agents/test-agent.cli.ts';
import { toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { recordCommand } from '../cli/record-command.ts';
import { colorsFor, printLine } from '../cli/terminal/context.ts';
import { printable, printableLine } from '../cli/terminal/text-width.ts';
import { changeAgent } from './chat-agent.cli.ts';
import { type ChatTerminal, promptOf, unknownCommand } from './chat-terminal.cli.ts';
import type { ChatContext } from './chats.ts';
import { toJson, toMarkdown } from './export-chat.ts';
import { readTranscript } from './read-transcript.cli.ts';

interface ChatCommand {
  usage: string;
  what: string;
  run(terminal: ChatTerminal, rest: string): Promise<void> | void;
}

const commands: Record<string, ChatCommand> = {
  model: {
    usage: '/model [PROVIDER/MODEL]',
    what: 'switch models; "default" selects the agent\'s own',
    run: model,
  },
  agent: {
    usage: '/agent [NAME [KEY=VALUE …]]',
    what: 'switch agents, with the arguments of the new prompt',
    run: agent,
  },
  retry: { usage: '/retry', what: 'answer the last message again', run: (terminal) => terminal.retry() },
  edit: { usage: '/edit [TEXT]', what: 'edit the last message and send it again', run: edit },
  context: {
    usage: '/context',
    what: 'show what the model gets: system prompt, skills, tools, passages',
    run: showContext,
  },
  approvals: {
    usage: '/approvals [revoke TOOL]',
    what: 'list the tools approved for this chat, or ask again before one',
    run: approvals,
  },
  export: {
    usage: '/export FILE',
    what: 'save the chat as Markdown, or as JSON if FILE ends in .json',
    run: save,
  },
  help: { usage: '/help', what: 'show this list', run: help },
  exit: { usage: '/exit', what: 'leave (or press Ctrl-D; Ctrl-C stops an answer)', run: (terminal) => terminal.end() },
};

/** Runs a line that begins with a slash. Throws INVALID_ARGUMENTS for an unknown command. */
export async function runChatCommand(terminal: ChatTerminal, line: string): Promise<void> {
  const [, word = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!command) throw unknownCommand(word, Object.keys(commands));
  await command.run(terminal, rest.trim());
}

async function model(terminal: ChatTerminal, name: string): Promise<void> {
  if (name !== '') await terminal.change({ model: name === 'default' ? null : name });
  terminal.printer.note(printableLine(await whoAnswers(terminal)));
}

/** Describes the model, in the order in which a session looks for it. */
async function whoAnswers({ answering, model, agentId }: ChatTerminal): Promise<string> {
  if (model !== null) return `Model: ${model}`;
  const { agent } = await answering.agents.get(agentId);
  if (agent.model !== null) return `Model: ${agent.model} (set by agent "${agentId}")`;
  const { model: chosen, from } = await answering.models.defaultModel();
  if (chosen !== null)
    return `Model: ${chosen} (${from === 'config' ? 'set by [engine] in the config' : 'the default model'})`;
  return `No model: agent "${agentId}" names none, and there is no default model. Choose one for this chat with /model PROVIDER/MODEL, such as openai/gpt-5 or ollama/llama3.2. "zoo provider list" lists the providers.`;
}

async function agent(terminal: ChatTerminal, words: string): Promise<void> {
  if (words !== '' && !(await changeAgent(terminal, words))) return;
  terminal.printer.note(`Agent: ${terminal.agentId}`);
}

async function edit(terminal: ChatTerminal, newText: string): Promise<void> {
  const chat = await terminal.chats.get((await terminal.begun()).id);
  const last = (await readTranscript(terminal.chats, chat)).turns.at(-1);
  if (!last) throw new HubError('INVALID_ARGUMENTS', 'There is no message to edit yet.');
  const text = newText === '' ? await terminal.reader.next({ prompt: promptOf(terminal), text: last.text }) : newText;
  if (text === null || text.trim() === '') return;
  await terminal.send(text, last.messageId);
}

async function showContext(terminal: ChatTerminal): Promise<void> {
  const { context } = terminal;
  const { bold, dim } = colorsFor(context);
  const { system, skills, tools, passages }: ChatContext = await terminal.chats.context((await terminal.begun()).id);
  const title = (text: string) => printLine(context, bold(text));
  title('System prompt');
  printLine(context, indent(printable(system)));
  list(
    'Skills',
    skills.map(({ name }) => name),
  );
  list(
    'Tools',
    tools.map((tool) => `${tool.name}${tool.needsApproval ? ' (asks first)' : ''}  ${dim(tool.description)}`),
  );
  list(
    'Passages',
    passages.map((passage) => `${passage.title}  ${dim(`${passage.source} ${passage.path}`)}`),
  );
  function list(name: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    title(`\n${name}`);
    for (const line of lines) printLine(context, indent(printableLine(line)));
  }
}

async function approvals(terminal: ChatTerminal, words: string): Promise<void> {
  const { id } = await terminal.begun();
  const { chatGrants } = terminal.answering.store;
  const [, verb, tool = ''] = /^(\S*)\s*(.*)$/.exec(words) ?? [];
  if (verb === 'revoke' && tool !== '') {
    if (!(await chatGrants.remove(id, tool)))
      throw new HubError('NOT_FOUND', `The tool "${tool.slice(0, 80)}" is not approved for this chat.`);
    const target = `${id} / ${tool}`;
    await recordCommand(terminal.answering, 'zoo chat', { summary: 'Revoke an approval for a chat', target });
    terminal.printer.note(`The agent asks again before ${printableLine(tool)}.`);
    return;
  }
  if (words !== '') throw new HubError('INVALID_ARGUMENTS', 'Type /approvals, or /approvals revoke TOOL.');
  const approved = await chatGrants.list(id);
  if (approved.length === 0) terminal.printer.note('No tools are approved for this chat.');
  for (const each of approved) terminal.printer.note(`${printableLine(each.tool)}  since ${toIso(each.grantedAt)}`);
}

async function save(terminal: ChatTerminal, file: string): Promise<void> {
  if (file === '') throw new HubError('INVALID_ARGUMENTS', 'Name a file: /export FILE.');
  const chat = await terminal.chats.get((await terminal.begun()).id);
  const transcript = await readTranscript(terminal.chats, chat);
  const text = file.endsWith('.json')
    ? `${JSON.stringify(await toJson(terminal.chats, chat, transcript), null, 2)}\n`
    : toMarkdown(chat, transcript);
  const path = resolve(terminal.context.cwd, file);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const why = code === 'EEXIST' ? 'already exists. Choose another name.' : `could not be written (${code}).`;
    throw new HubError('INVALID_ARGUMENTS', `${path} ${why}`, { cause: error });
  }
  terminal.printer.note(`Saved: ${path}`);
}

function help({ printer }: ChatTerminal): void {
  for (const { usage, what } of Object.values(commands)) printer.note(`${usage.padEnd(30)}${what}`);
  printer.note('End a line with \\ to continue the message on the next line.');
}

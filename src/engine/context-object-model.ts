import { HubError } from '../base/hub-error.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { EntryOptions, Message, ModelEntry, TimelineEntry, ToolResultBlock } from './message.ts';
import type { ToolDefinition } from './model.ts';
import { pairResults } from './pair-results.ts';
import { type AnyTool, toExecutableTool } from './to-executable-tool.ts';
import { type MessageInput, type ReadEntry, readEntry, type TimelineEntryInput } from './to-messages.ts';

/** What the model sees of a context. */
export interface COMInput {
  /** The texts of all system messages. */
  system: string;
  /** The other messages, in order. */
  timeline: ModelEntry[];
  tools: readonly ToolDefinition[];
}

/** A message to the components of a running run. */
export interface ExecutionMessage {
  id: string;
  type: string;
  content: unknown;
  /** Milliseconds since the epoch. */
  timestamp: number;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a run does for its context. */
export interface AttachedRun {
  abort(reason: string): void;
  deliver(message: ExecutionMessage): void;
}

/** An entry as it was written, and as the model sees it, if it does. */
interface Item {
  entry: TimelineEntry;
  view: ModelEntry | undefined;
}

/** The context of a run: the conversation so far, the tools that the model may call, and what the components share. */
export class ContextObjectModel {
  readonly #tools = new Map<string, ExecutableTool>();
  readonly #definitions = new Map<string, ToolDefinition>();
  #definitionList: readonly ToolDefinition[] | undefined;
  readonly #messages: Message[] = [];
  readonly #items: Item[] = [];
  /** Entries of this timeline, in either form. Adding one again has no effect. */
  readonly #known = new WeakSet<object>();
  #heldBack: Item[] | undefined;
  #system: string;
  readonly #state = new Map<string, unknown>();
  readonly #metadata = new Map<string, unknown>();
  #model: unknown;
  #userInput: unknown;
  #queue: ExecutionMessage[] = [];
  #run: AttachedRun | undefined;
  /** What `render` has added, to recognize it in the next tick. */
  readonly #rendered = new Set<string>();
  #isRendering = false;

  constructor(options: { system?: string | undefined } = {}) {
    this.#system = options.system ?? '';
  }

  /** The tools that can be run, by name. */
  get tools(): ReadonlyMap<string, ExecutableTool> {
    return this.#tools;
  }

  /** The tool definitions that the model sees, by name. */
  get toolDefinitions(): ReadonlyMap<string, ToolDefinition> {
    return this.#definitions;
  }

  /** Adds a tool in any form that the engine accepts. Throws CONFLICT if another tool has the name, and INVALID_ARGUMENTS for something that is no tool. */
  addTool(given: AnyTool): void {
    const tool = toExecutableTool(given);
    const { name, description, inputSchema, providerOptions } = tool.metadata;
    const taken = this.#tools.get(name);
    if (taken === tool) return;
    const key = `tool ${name}`;
    if (taken && this.#isRendering && this.#rendered.has(key)) this.removeTool(name);
    else if (taken) {
      throw new HubError(
        'CONFLICT',
        `Two tools are called "${name}": one from ${originOf(taken)}, one from ${originOf(tool)}. Give one of them another name or prefix.`,
      );
    }
    if (this.#isRendering) this.#rendered.add(key);
    this.#tools.set(name, tool);
    this.#definitions.set(name, { name, description, inputSchema, ...(providerOptions && { providerOptions }) });
    this.#definitionList = undefined;
    tool.onAdded?.(this);
  }

  /** Returns false if there is no such tool. */
  removeTool(name: string): boolean {
    const tool = this.#tools.get(name);
    if (!tool) return false;
    this.#tools.delete(name);
    this.#definitions.delete(name);
    this.#definitionList = undefined;
    tool.onRemoved?.(this);
    return true;
  }

  getTool(name: string): ExecutableTool | undefined {
    return this.#tools.get(name);
  }

  getTools(): ExecutableTool[] {
    return [...this.#tools.values()];
  }

  /** Adds a message. While calls of the model are open, the message is placed after their results. Throws INVALID_ARGUMENTS. */
  addMessage(message: MessageInput, options: EntryOptions = {}): void {
    this.#add(readEntry({ ...options, kind: 'message', message }, ''));
  }

  /** Adds an entry, for example one of a stored timeline. An entry that is already there is not added again. Throws INVALID_ARGUMENTS. */
  addTimelineEntry(entry: TimelineEntryInput): void {
    if (this.#known.has(entry)) return;
    this.#add(readEntry(entry));
    this.#known.add(entry);
  }

  /** Adds a conversation. Results that lie apart from their calls are moved there for the model. */
  addConversation(entries: readonly ReadEntry[]): void {
    const items = entries.filter(({ message }) => !this.#takeSystem(message)).map(toItem);
    this.#note(items);
    this.#messages.push(...pairResults(items.flatMap(({ view }) => view?.message ?? [])));
  }

  /** Returns the whole conversation as it was written, including entries that the model does not see. It can be stored and passed in again. */
  getTimeline(): TimelineEntry[] {
    return this.#items.map(({ entry }) => entry);
  }

  /** All messages that the model sees, except system messages. The list grows in place and stays the same object. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get system(): string {
    return this.#system;
  }

  /** Stays the same object until the tools change, so that callers can cache conversions. */
  get definitions(): readonly ToolDefinition[] {
    this.#definitionList ??= Object.freeze([...this.#definitions.values()]);
    return this.#definitionList;
  }

  toInput(): COMInput {
    return {
      system: this.#system,
      timeline: this.#items.flatMap(({ view }) => view ?? []),
      tools: this.definitions,
    };
  }

  /** Returns a value that the components share. */
  getState<T = unknown>(key: string): T | undefined {
    return this.#state.get(key) as T | undefined; // The caller knows what was set.
  }

  /** Keeps a value for all components and ticks, and for later runs with this context. */
  setState(key: string, value: unknown): void {
    this.#state.set(key, value);
  }

  /** Adds to the metadata in the result of the run. */
  addMetadata(key: string, value: unknown): void {
    this.#metadata.set(key, value);
  }

  get metadata(): Record<string, unknown> {
    return Object.fromEntries(this.#metadata);
  }

  /** Sets the model from the next tick on: a model object or, with an Engine, its name. Undefined returns to the engine's own. */
  setModel(model: unknown): void {
    this.#model = model;
  }

  getModel(): unknown {
    return this.#model;
  }

  /** Returns the input of the current run as it was passed in. */
  getUserInput(): unknown {
    return this.#userInput;
  }

  setUserInput(input: unknown): void {
    this.#userInput = input;
  }

  /** Ends the current run as aborted. */
  abort(reason = 'A component aborted the run.'): void {
    this.#run?.abort(reason);
  }

  /** Passes a message to the components: at once to `onMessage`, and with the next tick as `queuedMessages`. */
  queueMessage(message: ExecutionMessage): void {
    this.#queue.push(message);
    this.#run?.deliver(message);
  }

  /** Returns the messages since the last call (used by the loop). */
  takeQueuedMessages(): readonly ExecutionMessage[] {
    const messages = this.#queue;
    this.#queue = [];
    return messages;
  }

  /** Connects the context to its run (used by the loop). */
  attach(run: AttachedRun | undefined): void {
    this.#run = run;
  }

  /** Runs `render` (used by the loop). It runs before every answer, so what it added before is not added again. */
  async render<T>(work: () => Promise<T>): Promise<T> {
    this.#isRendering = true;
    try {
      return await work();
    } finally {
      this.#isRendering = false;
    }
  }

  /** Adds an answer (used by the loop). Later messages are held back: providers reject anything between an answer and the results of its calls. */
  addAnswer(answer: Message): void {
    this.#push({
      entry: { kind: 'message', message: withCallIds(answer) },
      view: { kind: 'message', message: answer },
    });
    this.#heldBack = [];
  }

  /** Adds the results of all open calls (used by the loop). */
  addResults(results: readonly ToolResultBlock[]): void {
    const later = this.#heldBack ?? [];
    this.#heldBack = undefined;
    if (results.length > 0) {
      const view: ModelEntry = { kind: 'message', message: { role: 'tool', content: results } };
      this.#push({ entry: view, view });
    }
    for (const item of later) this.#push(item);
  }

  #add(read: ReadEntry): void {
    if (this.#isRendering) {
      const key = JSON.stringify([read.entry, read.message.role]);
      if (this.#rendered.has(key)) return;
      this.#rendered.add(key);
    }
    if (this.#takeSystem(read.message)) return;
    const item = toItem(read);
    if (this.#heldBack) this.#heldBack.push(item);
    else this.#push(item);
  }

  #push(item: Item): void {
    this.#note([item]);
    if (item.view) this.#messages.push(item.view.message);
  }

  #note(items: readonly Item[]): void {
    for (const item of items) {
      this.#items.push(item);
      this.#known.add(item.entry);
      if (item.view) this.#known.add(item.view);
    }
  }

  /** Returns false if it is no system message. */
  #takeSystem({ role, content }: Message): boolean {
    if (role !== 'system') return false;
    const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
    this.#system = [this.#system, ...texts].filter((text) => text !== '').join('\n\n');
    return true;
  }
}

function toItem({ entry, message }: ReadEntry): Item {
  const { tags, visibility, metadata } = entry;
  if (visibility !== undefined && visibility !== 'model') return { entry, view: undefined };
  return { entry, view: { kind: 'message', message, ...(tags && { tags }), ...(metadata && { metadata }) } };
}

/** AIDK's programs look for `toolUseId`. */
function withCallIds(answer: Message): TimelineEntry['message'] {
  const content = answer.content.map((block) =>
    block.type === 'tool_use' ? { ...block, toolUseId: block.id } : block,
  );
  return { ...answer, content };
}

function originOf({ metadata }: ExecutableTool): string {
  return metadata.serverName === undefined ? 'code' : `server ${metadata.serverName}`;
}

import { HubError } from '../base/hub-error.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { Message, TimelineEntry, ToolResultBlock } from './message.ts';
import type { ToolDefinition } from './model.ts';
import { type MessageInput, toMessage } from './to-messages.ts';

/** What the model sees of a context. */
export interface COMInput {
  /** The texts of all system messages. */
  system: string;
  /** The other messages, in order. */
  timeline: TimelineEntry[];
  tools: readonly ToolDefinition[];
}

/** The short name for components. */
export type COM = ContextObjectModel;

/** The context of a run: the conversation so far and the tools that the model may call. */
export class ContextObjectModel {
  readonly #tools = new Map<string, ExecutableTool>();
  readonly #definitions = new Map<string, ToolDefinition>();
  #definitionList: readonly ToolDefinition[] | undefined;
  readonly #messages: Message[] = [];
  #heldBack: Message[] | undefined;
  #system: string;

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

  /** Throws CONFLICT if another tool has the name. */
  addTool(tool: ExecutableTool): void {
    const { name, description, inputSchema, providerOptions } = tool.metadata;
    const taken = this.#tools.get(name);
    if (taken === tool) return;
    if (taken) {
      throw new HubError(
        'CONFLICT',
        `Two tools are called "${name}": one from ${originOf(taken)}, one from ${originOf(tool)}. Give one of them another name or prefix.`,
      );
    }
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
  addMessage(input: MessageInput): void {
    const message = toMessage(input);
    if (message.role === 'system') this.#addSystem(message);
    else (this.#heldBack ?? this.#messages).push(message);
  }

  /** All messages except system messages. The list grows in place and stays the same object. */
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
      timeline: this.#messages.map((message) => ({ kind: 'message', message })),
      tools: this.definitions,
    };
  }

  /** Adds an answer (used by the loop). Later messages are held back: providers reject anything between an answer and the results of its calls. */
  addAnswer(answer: Message): void {
    this.#messages.push(answer);
    this.#heldBack = [];
  }

  /** Adds the results of all open calls (used by the loop). */
  addResults(results: readonly ToolResultBlock[]): void {
    if (results.length > 0) this.#messages.push({ role: 'tool', content: results });
    this.#messages.push(...(this.#heldBack ?? []));
    this.#heldBack = undefined;
  }

  #addSystem(message: Message): void {
    const texts = message.content.map((block) => (block.type === 'text' ? block.text : ''));
    this.#system = [this.#system, ...texts].filter((text) => text !== '').join('\n\n');
  }
}

function originOf({ metadata }: ExecutableTool): string {
  return metadata.serverName === undefined ? 'code' : `server ${metadata.serverName}`;
}

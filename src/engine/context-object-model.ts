import { HubError } from '../base/hub-error.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { Message, TimelineEntry, ToolResultBlock } from './message.ts';
import type { ToolDefinition } from './model.ts';
import { type MessageInput, toMessage } from './to-messages.ts';

/** What a model is shown of a context. */
export interface COMInput {
  /** The texts of all system messages. */
  system: string;
  /** The other messages, in order. */
  timeline: TimelineEntry[];
  tools: readonly ToolDefinition[];
}

/** The name that components know it by. */
export type COM = ContextObjectModel;

/** What a run works with: the conversation so far and the tools that the model may call. */
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

  /** What runs, by name. */
  get tools(): ReadonlyMap<string, ExecutableTool> {
    return this.#tools;
  }

  /** What the model is told, by name. */
  get toolDefinitions(): ReadonlyMap<string, ToolDefinition> {
    return this.#definitions;
  }

  /** Throws CONFLICT when another tool has the name. */
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

  /** False when there was none. */
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

  /** While calls of the model are open, the message comes after their results. Throws INVALID_ARGUMENTS. */
  addMessage(input: MessageInput): void {
    const message = toMessage(input);
    if (message.role === 'system') this.#addSystem(message);
    else (this.#heldBack ?? this.#messages).push(message);
  }

  /** All but the system messages. The list grows in place and is the same one for the whole life of the context. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get system(): string {
    return this.#system;
  }

  /** The same list until the tools change, so that whoever translates it can do so once. */
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

  /** For the loop: an answer. Providers refuse a conversation in which anything stands between it and the results of its calls. */
  addAnswer(answer: Message): void {
    this.#messages.push(answer);
    this.#heldBack = [];
  }

  /** For the loop: the results of the open calls, all of them. */
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

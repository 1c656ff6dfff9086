import type { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import type { MessageBlock, ProviderOptions, ReasoningBlock, ToolUseBlock } from './message.ts';
import type { FinishReason, ModelEvent, Usage } from './model.ts';
import type { Refusal } from './run-options.ts';

/** A tool call in the model's answer; `invalidInput` is its raw input if that is not valid JSON. */
export interface RequestedCall {
  use: ToolUseBlock;
  invalidInput: string | undefined;
}

/** The model's answer while it streams in. Without `finish`, it is incomplete. */
export class AnswerDraft {
  readonly calls: RequestedCall[] = [];
  text = '';
  finish: { reason: FinishReason; usage: Usage } | undefined;
  /** Why the answer is incomplete. */
  error: HubError | undefined;
  /** Why the model was not asked at all. */
  refusal: Refusal | undefined;
  hasEvents = false;
  /** The answer was cut off, and asking again may help. */
  isCut = false;
  readonly #blocks: MessageBlock[] = [];
  #openText = '';
  #openReasoning: ReasoningBlock | undefined;
  readonly #reasoning = new Map<string, ReasoningBlock>();

  add(event: ModelEvent): void {
    this.hasEvents = true;
    switch (event.type) {
      case 'text':
        this.#openReasoning = undefined;
        this.text += event.delta;
        this.#openText += event.delta;
        return;
      case 'reasoning':
        this.#addReasoning(event);
        return;
      case 'tool-call':
        this.#addCall(event);
        return;
      case 'finish':
        this.finish = { reason: event.reason, usage: event.usage };
    }
  }

  content(): readonly MessageBlock[] {
    this.#closeText();
    return this.#blocks;
  }

  /** Pieces with the same id form one block, wherever they occur; pieces without an id form one block if they are adjacent. */
  #addReasoning(event: Extract<ModelEvent, { type: 'reasoning' }>): void {
    let block = event.id === undefined ? this.#openReasoning : this.#reasoning.get(event.id);
    if (!block) {
      this.#closeText();
      block = { type: 'reasoning', text: '' };
      this.#blocks.push(block);
      if (event.id === undefined) this.#openReasoning = block;
      else this.#reasoning.set(event.id, block);
    }
    block.text += event.delta;
    if (event.providerOptions) block.providerOptions = mergeOptions(block.providerOptions, event.providerOptions);
  }

  /** A repeated id is the same call. */
  #addCall(event: Extract<ModelEvent, { type: 'tool-call' }>): void {
    this.#closeText();
    this.#openReasoning = undefined;
    const { id, name, input, invalidInput, providerOptions } = event;
    if (this.calls.some(({ use }) => use.id === id)) return;
    const use: ToolUseBlock = {
      type: 'tool_use',
      id: id || newId('call'),
      name,
      // Providers accept only an object in the next request.
      input: invalidInput === undefined ? input : {},
      ...(providerOptions && { providerOptions }),
    };
    this.#blocks.push(use);
    this.calls.push({ use, invalidInput });
  }

  #closeText(): void {
    if (this.#openText !== '') this.#blocks.push({ type: 'text', text: this.#openText });
    this.#openText = '';
  }
}

function mergeOptions(before: ProviderOptions | undefined, more: ProviderOptions): ProviderOptions {
  const merged: ProviderOptions = { ...before };
  for (const [provider, options] of Object.entries(more)) merged[provider] = { ...merged[provider], ...options };
  return merged;
}

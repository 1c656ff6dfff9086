import { HubError } from '../base/hub-error.ts';
import type { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ModelSettings } from '../engine/model.ts';
import type { AnyTool } from '../engine/to-executable-tool.ts';
import type { MessageInput, RunInput, TimelineEntryInput } from '../engine/to-messages.ts';

/** The input of a run: a question, or a conversation with what belongs to it. */
export type EngineInput =
  | string
  | {
      messages?: readonly MessageInput[] | undefined;
      timeline?: readonly TimelineEntryInput[] | undefined;
      /** Tools for this run, in addition to the engine's. */
      tools?: readonly AnyTool[] | undefined;
      /** Becomes the context's metadata. */
      metadata?: Readonly<Record<string, unknown>> | undefined;
      /** Settings of the model for this run; `maxTokens` and `stop` are other names of `maxOutputTokens` and `stopSequences`. */
      modelOptions?: ModelOptions | undefined;
      /** Anything else is for the components: `com.getUserInput()`. */
      [key: string]: unknown;
    };

type ModelOptions = ModelSettings & { maxTokens?: number | undefined; stop?: readonly string[] | undefined };

/** Parts of AIDK's input that are not supported, and what to do instead. */
const unsupported: Readonly<Record<string, string>> = {
  sections: 'pass system messages, or set `system` of the engine',
  clientTools: 'give the tool a function run(input)',
  toolExecution: 'tools run in parallel; set `timeoutMs` in the metadata of a tool',
};

/** Adds what belongs to the input to the context. Returns the conversation and the settings. Throws INVALID_ARGUMENTS. */
export function readEngineInput(
  input: EngineInput,
  { com, hasComponents }: { com: ContextObjectModel; hasComponents: boolean },
): { conversation: RunInput; settings: ModelSettings } {
  com.setUserInput(input);
  const value: unknown = input;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { conversation: input as string, settings: {} };
  for (const [key, instead] of Object.entries(unsupported)) {
    if (key in value) throw invalid(`The input has ${key}, which is not supported: ${instead}.`);
  }
  const { messages, timeline, tools, metadata, modelOptions } = value as Exclude<EngineInput, string>;
  for (const tool of tools ?? []) com.addTool(tool);
  for (const [key, entry] of Object.entries(metadata ?? {})) com.addMetadata(key, entry);
  // A component may take the question from another part of the input.
  const isOpen = hasComponents && messages === undefined && timeline === undefined;
  const conversation = (isOpen ? { messages: [] } : input) as RunInput; // The engine checks it.
  return { conversation, settings: readModelOptions(modelOptions ?? {}) };
}

const settingNames: Readonly<Record<string, keyof ModelSettings>> = {
  maxOutputTokens: 'maxOutputTokens',
  maxTokens: 'maxOutputTokens',
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  stopSequences: 'stopSequences',
  stop: 'stopSequences',
  seed: 'seed',
  providerOptions: 'providerOptions',
};

function readModelOptions(options: ModelOptions): ModelSettings {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [key] of entries) {
    if (Object.hasOwn(settingNames, key)) continue;
    throw invalid(`modelOptions.${key} is not supported. Supported: ${Object.keys(settingNames).join(', ')}.`);
  }
  return Object.fromEntries(entries.map(([key, value]) => [settingNames[key], value]));
}

function invalid(message: string): HubError {
  return new HubError('INVALID_ARGUMENTS', message);
}

import { ContextObjectModel } from '../../../src/engine/context-object-model.ts';
import type { ExecutableTool } from '../../../src/engine/executable-tool.ts';
import type { Message, ToolResultBlock } from '../../../src/engine/message.ts';
import type { RunEvent } from '../../../src/engine/run-events.ts';
import type { RunOptions, RunParts } from '../../../src/engine/run-options.ts';
import { runTicks } from '../../../src/engine/run-ticks.ts';
import { type ScriptedAnswer, scriptedModel } from '../models/scripted-model.ts';

export function contextWith(...tools: ExecutableTool[]): ContextObjectModel {
  const com = new ContextObjectModel();
  for (const tool of tools) com.addTool(tool);
  return com;
}

interface RunWith extends Partial<Omit<RunParts, 'model' | 'com'>>, RunOptions {
  answers: readonly ScriptedAnswer[];
  tools?: ExecutableTool[];
  onEvent?: (event: RunEvent) => void;
}

/** Runs to the end, and returns the result with all events. */
export async function runWith({ answers, tools = [], onEvent, ...rest }: RunWith) {
  const { components, store, tracer, logger, clock, ...options } = rest;
  const model = scriptedModel(answers);
  const com = contextWith(...tools);
  const run = runTicks({ model, com, components, store, tracer, logger, clock }, { input: 'go', ...options });
  const events: RunEvent[] = [];
  for await (const event of run.events) {
    events.push(event);
    onEvent?.(event);
  }
  return { result: await run.result, model, com, events };
}

export function resultsOf(messages: readonly Message[]): ToolResultBlock[] {
  return messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
}

export function textOf(result: ToolResultBlock | undefined): string {
  return result?.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('') ?? '';
}

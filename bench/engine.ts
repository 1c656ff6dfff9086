import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, jsonSchema, streamText, tool } from 'ai';
import { ContextObjectModel } from '../src/engine/context-object-model.ts';
import { executeTicks } from '../src/engine/run-ticks.ts';
import { toModel } from '../src/models/ai-sdk-model.ts';
import { startPrintingPort } from './load.ts';
import { type BenchRow, measureRounds, toRow } from './measure.ts';

const ticks = 10;
const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

/** Measures a run of ten ticks with one tool call each against the AI SDK's own loop, with the same instant model. */
export async function benchEngine(rounds: number): Promise<BenchRow[]> {
  const script = new URL('./floors/model-echo.ts', import.meta.url).pathname;
  const server = await startPrintingPort(process.execPath, [script, String(ticks)]);
  const provider = createOpenAICompatible({ name: 'bench', baseURL: `http://127.0.0.1:${server.port}/v1` });
  const languageModel = provider.chatModel('bench');
  const times = await measureRounds(rounds * 2, {
    ours: () => timed(30, () => ourRun(languageModel)),
    sdk: () => timed(30, () => sdkRun(languageModel)),
  });
  await server.stop();
  return [
    toRow({
      what: 'engine, one tick with a tool',
      floor: 'loop of the AI SDK',
      ratio: times.ours / times.sdk,
      goal: 1.2,
      isAtLeast: false,
      detail: `${(times.ours / ticks).toFixed(2)} ms of ${(times.sdk / ticks).toFixed(2)} ms`,
    }),
  ];
}

async function timed(count: number, run: () => Promise<number>): Promise<number> {
  const began = performance.now();
  for (let index = 0; index < count; index += 1) {
    const done = await run();
    if (done !== ticks) throw new Error(`a run took ${done} ticks, not ${ticks}`);
  }
  return (performance.now() - began) / count;
}

type BenchModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;

async function ourRun(languageModel: BenchModel): Promise<number> {
  const com = new ContextObjectModel({ system: 'You echo.' });
  com.addTool({
    metadata: { name: 'echo', description: 'Echoes.', inputSchema: schema },
    run: (input) => (input as { text: string }).text,
  });
  const result = await executeTicks({ model: toModel(languageModel), com }, { input: 'Begin.', maxTicks: 20 });
  return result.ticks;
}

async function sdkRun(languageModel: BenchModel): Promise<number> {
  const result = streamText({
    model: languageModel,
    instructions: 'You echo.',
    prompt: 'Begin.',
    stopWhen: isStepCount(20),
    tools: {
      echo: tool({
        description: 'Echoes.',
        inputSchema: jsonSchema<{ text: string }>(schema),
        execute: ({ text }) => text,
      }),
    },
  });
  await result.consumeStream();
  return (await result.steps).length;
}

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/run-step.ts';
import { docSamples, normalise } from '../support/docs/doc-samples.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { openSampleDesk, type SampleDesk } from '../support/team/sample-desk.ts';

const documents = [
  'README.md',
  ...['docs', 'docs/migrating'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

const samplesOf = documents.map((document) => ({ document, samples: docSamples(join(root, document)) }));

it.each(samplesOf)('the samples of $document are in a language that can be run', ({ samples }) => {
  expect(samples.every((sample) => ['sh', 'ts', 'toml', 'lua'].includes(sample.language))).toBe(true);
});

describe.each(samplesOf.filter(({ samples }) => samples.length > 0))('the samples of $document', ({ samples }) => {
  let desk: SampleDesk;

  beforeAll(async () => {
    desk = await openSampleDesk({ script: answerWithTool });
  });

  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(samples.map((sample) => [`${relative(root, sample.file)}:${sample.line}`, sample] as const))(
    '%s does what it says',
    async (_place, sample) => {
      const printed = await desk.run(sample);
      if (sample.prints !== null) expect(normalise(printed)).toContain(normalise(sample.prints));
    },
  );
});

/** Uses the first tool it is given, if any, and then tells what the tool said. */
function answerWithTool({ body }: RecordedModelRequest): ModelStep {
  const last = body.messages.at(-1);
  const [tool] = body.tools ?? [];
  if (last?.role === 'tool') {
    const said = JSON.stringify(last.content).replace(/\[(?:end of )?outside text [^\]]*\]/g, '');
    return { text: `It is ${/\d+(?=\D*$)/.exec(said)?.[0]}.` };
  }
  if (!tool) return { text: 'Hello.' };
  return { toolCalls: [{ name: tool.function.name, arguments: { a: 2, b: 40 } }] };
}

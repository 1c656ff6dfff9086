import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/run-step.ts';
import { docSamples, normalise } from '../support/docs/doc-samples.ts';
import { linksIn } from '../support/docs/document-links.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { openSampleDesk } from '../support/team/sample-desk.ts';

const folder = join(root, 'examples');
const examples = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** What the model must have been told, in this order, for the examples that ask one. */
const toldToModel: Record<string, readonly string[]> = {
  'lua-runbooks': ["Check the provider's status page.", 'Card payments fail. Open a ticket.', 'OPS-1'],
  'typescript-agent': ['You write release notes for system administrators.', 'fix: refuse expired tokens'],
  'tools-mode': ['You explain technical terms', 'Explain \\"write-ahead log\\" to a new colleague.'],
};

describe('the examples', () => {
  it('are all in the list', () => {
    const listed = linksIn(join(folder, 'README.md')).map(({ target }) => target);
    expect(listed.toSorted()).toEqual(examples.map((name) => `${name}/README.md`).toSorted());
  });

  it.each(examples)('%s runs as its README says', async (name) => {
    const samples = docSamples(join(folder, name, 'README.md'));
    expect(samples.length).toBeGreaterThan(0);
    await using desk = await openSampleDesk({ example: join(folder, name), script: answerWithTool });
    for (const sample of samples) {
      const printed = await desk.run(sample);
      if (sample.prints !== null) expect(normalise(printed)).toContain(normalise(sample.prints));
    }
    const told = desk.model.requests.map(({ body }) => JSON.stringify(body.messages)).join('\n');
    const words = toldToModel[name] ?? [];
    for (const text of words) expect(told).toContain(text);
    expect(desk.model.requests.length > 0).toBe(words.length > 0);
  });
});

const input: Record<string, object> = {
  open_ticket: { title: 'Card payments fail', severity: 'high' },
  list_changes: {},
};

/** Calls a tool that an example brings, if it is offered one, and then repeats what the tool said. */
function answerWithTool({ body }: RecordedModelRequest): ModelStep {
  const last = body.messages.at(-1);
  if (last?.role === 'tool') return { text: `The tool said: ${JSON.stringify(last.content)}` };
  const tool = body.tools?.find(({ function: { name } }) => name in input)?.function.name;
  return tool === undefined ? { text: 'Understood.' } : { toolCalls: [{ name: tool, arguments: input[tool] }] };
}

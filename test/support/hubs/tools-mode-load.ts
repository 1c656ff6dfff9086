import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { defineTool } from '../../../src/tools/tool.ts';
import { bookFlight, type FlightDesk, openFlightDesk, questionOf } from '../tools/book-flight.ts';

export interface LoadOptions {
  calls: number;
  inFlight: number;
  /** Every n-th call is cancelled while the model works on it. */
  cancelEvery: number;
}

export interface LoadReport {
  answered: number;
  cancelled: number;
  /** Descriptions of everything that went wrong. */
  wrong: string[];
  /** The duration of each answered call in milliseconds. */
  times: number[];
}

/** The destination of a call contains its number. */
const markOf = (text: string) => /city-(\d+)-/.exec(text)?.[1] ?? '';

const note = defineTool({
  name: 'note',
  description: 'Gives back what it gets.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: { jsonSchema: { type: 'object', properties: { mark: { type: 'string' } } } },
  run: (input) => ({ noted: input }),
});

/** Opens a hub with the book_flight agent and one tool. The model calls the tool and answers with everything it received. */
export async function openLoadedDesk(cancelEvery: number): Promise<FlightDesk> {
  const desk = await openFlightDesk(
    (request) => {
      const mark = markOf(questionOf(request));
      if (request.body.messages.at(-1)?.role === 'user')
        return { toolCalls: [{ id: `use-${mark}`, name: 'note', arguments: { mark } }] };
      if (Number(mark) % cancelEvery === 0) return 'hang';
      return { text: JSON.stringify(request.body.messages) };
    },
    { tools: [note] },
  );
  await desk.store({ tools: ['note'], exposes: [bookFlight] });
  return desk;
}

/** Runs the calls through `inFlight` MCP clients. */
export async function runLoad(desk: FlightDesk, { calls, inFlight, cancelEvery }: LoadOptions): Promise<LoadReport> {
  const report: LoadReport = { answered: 0, cancelled: 0, wrong: [], times: [] };
  const hanging = new Map<string, AbortController>();
  const stopWatching = watchHanging(desk, hanging, cancelEvery);
  let next = 1;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      const client = new Client({ name: 'load', version: '1' });
      const transport = new StreamableHTTPClientTransport(new URL(desk.address()));
      await client.connect(transport);
      while (next <= calls) {
        const number = next;
        next += 1;
        await callOnce(client, { number, cancelEvery, hanging, report });
      }
      await transport.terminateSession();
      await client.close();
    }),
  );
  stopWatching();
  return report;
}

interface OneCall {
  number: number;
  cancelEvery: number;
  hanging: Map<string, AbortController>;
  report: LoadReport;
}

async function callOnce(client: Client, { number, cancelEvery, hanging, report }: OneCall): Promise<void> {
  const control = new AbortController();
  if (number % cancelEvery === 0) hanging.set(String(number), control);
  const started = performance.now();
  const args = { destination: `city-${number}-`, departure_date: '2026-12-24' };
  try {
    const result = await client.callTool({ name: 'book_flight', arguments: args }, undefined, {
      signal: control.signal,
      timeout: 120_000,
    });
    report.times.push(performance.now() - started);
    report.answered += 1;
    const text = JSON.stringify(result.content);
    const marks = new Set([...text.matchAll(/city-(\d+)-/g)].map(([, mark]) => mark));
    if (result.isError || marks.size !== 1 || !marks.has(String(number)) || !text.includes(`use-${number}`))
      report.wrong.push(`call ${number} was answered with ${text.slice(0, 300)}`);
  } catch (error) {
    if (control.signal.aborted) report.cancelled += 1;
    else report.wrong.push(`call ${number} failed: ${error}`);
  }
}

/** Cancels a call once its request reaches the model, which never answers it. */
function watchHanging(desk: FlightDesk, hanging: Map<string, AbortController>, cancelEvery: number): () => void {
  let isOver = false;
  let seen = desk.model.requests.length;
  void (async () => {
    while (!isOver) {
      await desk.model.requested(seen + 1);
      for (const request of desk.model.requests.slice(seen)) {
        const mark = markOf(questionOf(request));
        const isWaiting = request.body.messages.at(-1)?.role === 'tool' && Number(mark) % cancelEvery === 0;
        if (isWaiting) hanging.get(mark)?.abort();
      }
      seen = desk.model.requests.length;
    }
  })();
  return () => {
    isOver = true;
  };
}

/** Returns what is missing in the log. Every call and every call of its tool needs an invocation and an end. */
export async function missingInLog(desk: FlightDesk, calls: number): Promise<string[]> {
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const page = await desk.hub.decisions.page({ limit: 500, cursor });
    for (const { tool, kind } of page.entries) {
      const key = `${tool} ${kind === 'invocation' ? 'begun' : 'ended'}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  const keys = ['book_flight begun', 'book_flight ended', 'note begun', 'note ended'];
  return keys.filter((key) => counts.get(key) !== calls).map((key) => `${key}: ${counts.get(key)} of ${calls}`);
}

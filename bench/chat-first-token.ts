import { type BenchRow, median, toRow } from './measure.ts';

const maxAddedMs = 15;
const samples = 60;

interface FirstToken {
  /** The address of the hub. */
  url: string;
  /** The address of the model, ending in `/v1`. */
  modelUrl: string;
  agentId: string;
}

/** Measures how long a reader of a chat waits for the first text, compared with asking the model directly. */
export async function benchFirstToken({ url, modelUrl, agentId }: FirstToken): Promise<BenchRow> {
  const inChat: number[] = [];
  const ofModel: number[] = [];
  for (let index = -10; index < samples; index += 1) {
    const [own, model] = [await timeInChat(url, agentId), await timeOfModel(modelUrl)];
    // The first rounds warm up.
    if (index < 0) continue;
    inChat.push(own);
    ofModel.push(model);
  }
  const added = median(inChat) - median(ofModel);
  return toRow({
    what: 'first text of a chat over SSE, beside the model',
    floor: `${maxAddedMs} ms`,
    ratio: added / maxAddedMs,
    goal: 1,
    isAtLeast: false,
    detail: `${added.toFixed(1)} ms (${median(inChat).toFixed(1)} ms, the model ${median(ofModel).toFixed(1)} ms)`,
  });
}

async function timeInChat(url: string, agentId: string): Promise<number> {
  const { id } = (await (await post(`${url}/api/chats`, { agentId })).json()) as { id: string };
  const enough = new AbortController();
  const events = await fetch(`${url}/api/chats/${id}/events`, { signal: enough.signal });
  const reader = toReader(events);
  await reader.until('event: ready');
  const began = performance.now();
  const sent = post(`${url}/api/chats/${id}/messages`, { text: 'Which way?' });
  await reader.until('"type":"text"');
  const took = performance.now() - began;
  await (await sent).arrayBuffer();
  await reader.until('"type":"answer.finished"');
  enough.abort();
  return took;
}

async function timeOfModel(modelUrl: string): Promise<number> {
  const began = performance.now();
  const messages = [{ role: 'user', content: 'Which way?' }];
  const reader = toReader(await post(`${modelUrl}/chat/completions`, { model: 'bench', messages, stream: true }));
  await reader.until('"content":');
  const took = performance.now() - began;
  await reader.until('[DONE]');
  return took;
}

async function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}

/** Reads until the text contains the expected part. */
function toReader({ body }: Response) {
  if (!body) throw new Error('an answer has no body');
  const chunks = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async until(expected: string): Promise<void> {
      while (!text.includes(expected)) {
        const { value, done } = await chunks.read();
        if (done) throw new Error(`the stream ended without ${expected}: ${text.slice(-300)}`);
        text += value;
      }
      text = text.slice(text.indexOf(expected) + expected.length);
    },
  };
}

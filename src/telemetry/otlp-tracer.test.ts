import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { steppedClock } from '../../test/support/time/stepped-clock.ts';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { silentTracer } from '../base/tracer.ts';
import { createTracer } from './otlp-tracer.ts';

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}
interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number; message?: string };
}
interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { scope: object; spans: CollectedSpan[] }[] }[];
}
type Answer = { status: number; headers?: Record<string, string>; body?: object } | 'hang';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function startCollector(...answers: Answer[]) {
  const requests: { path: string; headers: IncomingHttpHeaders; body: Export }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Export;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    const answer = answers.shift() ?? { status: 200 };
    if (answer === 'hang') return;
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const spansOf = ({ body }: { body: Export }) =>
    body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => requests.flatMap(spansOf),
    sizes: () => requests.map((request) => spansOf(request).length),
  };
}

function memoryLogger(): Logger & { lines: { fields: object; message: string }[] } {
  const lines: { fields: object; message: string }[] = [];
  const log = (fields: object, message: string) => void lines.push({ fields, message });
  return { lines, debug: log, info: log, warn: log, error: log };
}

function open(env: Record<string, string>, clock = systemClock) {
  const logger = memoryLogger();
  return { logger, tracer: createTracer((name) => env[name], { logger, clock, version: '1.2.3' }) };
}

describe('a trace', () => {
  it('arrives as OTLP in JSON: ids, times, kinds, typed attributes, status, resource', async () => {
    const collector = await startCollector();
    const { tracer, logger } = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-tenant = blue',
      OTEL_SERVICE_NAME: 'my-zoo',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=other',
    });
    expect(tracer.isOn).toBe(true);
    const before = Date.now();
    const run = tracer.start('invoke_agent ADA', { kind: 'server', attributes: { 'gen_ai.agent.name': 'ADA' } });
    const chat = tracer.start('chat x', { kind: 'client', parent: run.traceparent });
    chat.set({ tokens: 12, cost: 0.25, isCached: true, reasons: ['stop', 'length'], none: undefined });
    chat.set({ tokens: 13, odd: Number.NaN });
    chat.fail('MODEL_ERROR');
    chat.end();
    chat.end();
    run.end();
    await tracer.close();
    expect(logger.lines).toEqual([]);
    expect(collector.requests).toHaveLength(1);
    const [request = expect.fail()] = collector.requests;
    expect(request.path).toBe('/base/v1/traces');
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Basic abc',
      'x-tenant': 'blue',
    });
    expect(request.body.resourceSpans[0]?.resource.attributes).toEqual(
      expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'my-zoo' } },
        { key: 'service.version', value: { stringValue: '1.2.3' } },
        { key: 'deployment.environment', value: { stringValue: 'test' } },
      ]),
    );
    const [child = expect.fail(), root = expect.fail()] = collector.spans();
    expect(run.traceparent).toBe(`00-${root.traceId}-${root.spanId}-01`);
    expect(root).toMatchObject({ name: 'invoke_agent ADA', kind: 2, status: { code: 0 } });
    expect(root.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(root.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(root).not.toHaveProperty('parentSpanId');
    expect(root.attributes).toEqual([{ key: 'gen_ai.agent.name', value: { stringValue: 'ADA' } }]);
    expect(child).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId, name: 'chat x', kind: 3 });
    expect(child.status).toEqual({ code: 2, message: 'MODEL_ERROR' });
    expect(child.attributes).toEqual([
      { key: 'tokens', value: { intValue: '13' } },
      { key: 'cost', value: { doubleValue: 0.25 } },
      { key: 'isCached', value: { boolValue: true } },
      { key: 'reasons', value: { arrayValue: { values: [{ stringValue: 'stop' }, { stringValue: 'length' }] } } },
      { key: 'odd', value: { doubleValue: 'NaN' } },
      { key: 'error.type', value: { stringValue: 'MODEL_ERROR' } },
    ]);
    for (const { startTimeUnixNano, endTimeUnixNano } of [child, root]) {
      expect(startTimeUnixNano).toMatch(/^\d{19}$/);
      expect(BigInt(endTimeUnixNano)).toBeGreaterThan(BigInt(startTimeUnixNano));
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(before) * 1_000_000n);
    }
  });

  it('continues a remote parent and is not sent if the parent is not sampled', async () => {
    const collector = await startCollector();
    const { tracer } = open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own` });
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    tracer.start('a', { parent: `00-${trace}-00f067aa0ba902b7-01` }).end();
    const unsampled = tracer.start('b', { parent: `00-${trace}-00f067aa0ba902b7-00` });
    expect(unsampled.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
    unsampled.fail('X');
    unsampled.end();
    tracer.start('c', { parent: unsampled.traceparent }).end();
    tracer.start('new', { parent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }).end();
    tracer.start('newer', { parent: 'nonsense' }).end();
    tracer.start('later', { parent: `01-${trace}-00f067aa0ba902b7-03-more` }).end();
    await tracer.close();
    expect(collector.requests[0]?.path).toBe('/own');
    const spans = collector.spans();
    expect(spans.map(({ name }) => name)).toEqual(['a', 'new', 'newer', 'later']);
    expect(spans[0]).toMatchObject({ traceId: trace, parentSpanId: '00f067aa0ba902b7' });
    expect(spans[3]).toMatchObject({ traceId: trace, parentSpanId: '00f067aa0ba902b7' });
    expect(spans[1]?.traceId).not.toBe(spans[2]?.traceId);
    expect(spans[1]).not.toHaveProperty('parentSpanId');
  });
});

describe('batches', () => {
  it('go out when 512 spans wait, or 5 s after the first of fewer', async () => {
    const collector = await startCollector();
    const clock = steppedClock();
    const { tracer } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock);
    for (let index = 0; index < 511; index += 1) tracer.start('a').end();
    expect(clock.sleeps()).toEqual([5000]);
    tracer.start('a').end();
    await expect.poll(() => collector.sizes()).toEqual([512]);
    await expect.poll(() => clock.sleeps()).toEqual([]);
    tracer.start('b').end();
    await expect.poll(() => clock.sleeps()).toEqual([5000]);
    expect(collector.sizes()).toEqual([512]);
    clock.advance(5000);
    await expect.poll(() => collector.sizes()).toEqual([512, 1]);
    await tracer.close();
    expect(collector.sizes()).toEqual([512, 1]);
  });

  it('are bounded: beyond 2,048 waiting spans the newest are dropped and counted', async () => {
    const collector = await startCollector();
    const { tracer, logger } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    for (let index = 0; index < 2100; index += 1) tracer.start('a').end();
    await tracer.close();
    expect(collector.sizes()).toEqual([512, 512, 512, 512]);
    expect(logger.lines).toEqual([
      {
        fields: { host: new URL(collector.url).host, spans: 52 },
        message: 'Spans were dropped because too many were waiting.',
      },
    ]);
    expect(() => tracer.start('late').end()).not.toThrow();
  });
});

describe('a collector that fails', () => {
  it.each([429, 502, 503, 504])('with %i is asked again after the time it names', async (status) => {
    const collector = await startCollector({ status, headers: { 'retry-after': '12' } });
    const clock = steppedClock();
    const { tracer, logger } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock);
    tracer.start('a').end();
    clock.advance(5000);
    await expect.poll(() => clock.sleeps()).toEqual([12_000]);
    clock.advance(12_000);
    await expect.poll(() => collector.sizes()).toEqual([1, 1]);
    await tracer.close();
    expect(logger.lines).toEqual([]);
  });

  it('for good is asked once for a batch, and told once in the log until it works again', async () => {
    const collector = await startCollector({ status: 400 }, { status: 401 }, { status: 200 }, { status: 400 });
    const clock = steppedClock();
    const { tracer, logger } = open(
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret-1' },
      clock,
    );
    for (let batch = 1; batch <= 4; batch += 1) {
      tracer.start('a').end();
      await expect.poll(() => clock.sleeps()).toEqual([5000]);
      clock.advance(5000);
      await expect.poll(() => collector.requests.length).toBe(batch);
      await expect.poll(() => clock.sleeps()).toEqual([]);
      await expect.poll(() => logger.lines.length).toBe(batch < 4 ? 1 : 2);
    }
    await tracer.close();
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'Traces could not be sent: HTTP 400.',
      'Traces could not be sent: HTTP 400.',
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('secret-1');
  });

  it('in part is reported', async () => {
    const collector = await startCollector({ status: 200, body: { partialSuccess: { rejectedSpans: '2' } } });
    const { tracer, logger } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    tracer.start('a').end();
    await tracer.close();
    expect(logger.lines[0]?.message).toBe('Traces could not be sent: the collector refused 2 of them.');
  });

  it('and hangs keeps a close waiting for 5 s at most', async () => {
    const collector = await startCollector('hang');
    const clock = steppedClock();
    const { tracer, logger } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock);
    tracer.start('a').end();
    const closing = tracer.close();
    await expect.poll(() => collector.requests.length).toBe(1);
    clock.advance(5000);
    await closing;
    expect(logger.lines[0]?.message).toBe('Traces could not be sent: no reply in time.');
  });

  it('because it is not there never disturbs the work', async () => {
    const clock = steppedClock();
    const collector = await startCollector();
    await Promise.all(closers.splice(0).map((close) => close()));
    const { tracer, logger } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock);
    tracer.start('a').end();
    const closing = tracer.close();
    await expect.poll(() => clock.sleeps().length).toBe(2);
    clock.advance(5000);
    await closing;
    expect(logger.lines[0]?.message).toBe('Traces could not be sent: ECONNREFUSED.');
  });
});

describe('nothing is traced', () => {
  it.each([
    ['without an endpoint', {}],
    ['when the SDK is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'TRUE' }],
    ['when no exporter is wanted', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' }],
  ])('%s', (_, env) => {
    const { tracer, logger } = open(env);
    expect(tracer).toBe(silentTracer);
    expect(logger.lines).toEqual([]);
  });

  it('with an invalid endpoint, and the log names it', () => {
    const { tracer, logger } = open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'localhost:4318' });
    expect(tracer).toBe(silentTracer);
    expect(logger.lines[0]?.message).toContain('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an address');
  });
});

import { describe, expect, it } from 'vitest';
import { flap, growthOf, leftovers, openThings, rounds } from '../../bench/proofs/server-proofs.ts';
import type { HubErrorCode } from '../../src/base/error-codes.ts';
import { HubError } from '../../src/base/hub-error.ts';
import { connectTo, startBadServer, type TransportName, transports } from '../support/servers/start-bad-server.ts';

const maxGrowth = 64;

async function failure(promise: Promise<unknown>): Promise<HubError> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof HubError)) throw new Error(`No HubError but ${error}`);
  return error;
}

describe.each(transports)('a bad server over %s', (transport) => {
  it.each<[tool: string, code: HubErrorCode, message: RegExp]>([
    ['exit', 'UNAVAILABLE', /no longer connected|ended|closed|reached/],
    ['drop', 'UNAVAILABLE', /no longer connected|ended|closed/],
    ['hang', 'TIMEOUT', /no answer and no progress for 400 ms/],
    ['drip', 'TIMEOUT', /no answer and no progress for 400 ms/],
    ['refuse', 'TOOL_ERROR', /returned an error: No\. No\./],
    ['odd', 'TOOL_ERROR', /content that is not a list of objects/],
    ['unknown', 'TOOL_ERROR', /Unknown tool: unknown/],
  ])('that replies to a call with "%s" causes %s in time', async (tool, code, message) => {
    // The timeout is short only for tests of the timeout: a busy machine must not turn another failure into a timeout.
    await using server = await startBadServer(transport, {}, { timeoutMs: code === 'TIMEOUT' ? 400 : 30_000 });
    await using bad = await connectTo(server.definition);

    const error = await failure(bad.connection.callTool(tool, {}));

    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(2_500);
    if (code !== 'TOOL_ERROR') expect(error.details?.mayHaveRun).toBe(true);
  });

  it('that writes garbage between its messages still works, and the garbage is in its log', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);

    await expect(bad.connection.callTool('garbage', {})).resolves.toEqual({ content: [] });

    expect(bad.log.filter(({ text }) => text.startsWith('this is no message'))).toHaveLength(50);
  });

  it('that sends a line of 1 GB is disconnected meanwhile, and little memory is used', async () => {
    await using server = await startBadServer(transport);
    const growth = await growthOf(async () => {
      for (const tool of transport === 'streamable-http' ? ['huge', 'huge_json'] : ['huge']) {
        await using bad = await connectTo({
          ...server.definition,
          maxMessageBytes: 4_194_304,
          maxOutputBytes: 1_048_576,
        });
        const error = await failure(bad.connection.callTool(tool, {}));
        expect(error.code).toBe('TOO_LARGE');
        expect(await bad.closed).toMatch(/more than 4194304 bytes/);
      }
    });
    expect(growth).toBeLessThan(maxGrowth);
  });

  it('that returns a result over the limit fails only that call', async () => {
    await using server = await startBadServer(transport, {}, { maxOutputBytes: 10_000 });
    await using bad = await connectTo(server.definition);

    const error = await failure(bad.connection.callTool('large', { bytes: 20_000 }));

    expect(error).toMatchObject({ code: 'TOO_LARGE', message: expect.stringMatching(/the limit is 10000/) });
    await expect(bad.connection.callTool('large', { bytes: 5_000 })).resolves.toMatchObject({ content: [{}] });
    expect(bad.closings).toEqual([]);
  });

  it.each(['exit', 'hang', 'garbage', 'huge', 'drip'] as const)(
    'that begins with "%s" is not connected to, and leaves nothing behind',
    async (start) => {
      await using server = await startBadServer(
        transport,
        { start },
        { connectTimeoutMs: 1_500, maxMessageBytes: 1_048_576 },
      );
      const before = openThings();
      const error = await failure(connectTo(server.definition));
      expect(['UNAVAILABLE', 'TIMEOUT']).toContain(error.code);
      expect(error.message).toContain('Server "bad"');
      await expect.poll(() => leftovers(before)).toEqual([]);
    },
  );

  it('that lists 5,000 tools in pages is read completely', async () => {
    await using server = await startBadServer(transport, { tools: 5_000 });
    await using bad = await connectTo(server.definition);

    const tools = await bad.connection.listTools();

    expect(tools).toHaveLength(5_001);
    expect(tools.at(4_999)?.name).toBe('tool_4999');
  });

  it.each([
    ['same', /the same page again/],
    ['endless', /more than 1000 pages/],
  ] as const)('whose list has no end (%s cursor) is refused', async (cursor, message) => {
    await using server = await startBadServer(transport, { cursor });
    await using bad = await connectTo(server.definition);
    await expect(failure(bad.connection.listTools())).resolves.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(message),
    });
  });

  it('that lists a name twice keeps the first, and logs it', async () => {
    await using server = await startBadServer(transport, { double: true });
    await using bad = await connectTo(server.definition);

    const tools = await bad.connection.listTools();

    expect(tools.map(({ name, description }) => ({ name, description }))).toEqual([
      { name: 'echo', description: 'Changed 0 times.' },
    ]);
    expect(bad.log).toContainEqual({
      level: 'error',
      text: 'The server lists the tool "echo" twice. The first one is used.',
    });
  });

  it('that changes a tool is listed again, with fewer events than notifications', async () => {
    await using server = await startBadServer(transport);
    await using bad = await connectTo(server.definition);
    let changes = 0;
    const changed = new Promise<void>((resolve) =>
      bad.connection.onToolsChanged(() => {
        changes += 1;
        resolve();
      }),
    );

    await bad.connection.callTool('change', {});
    await changed;

    expect((await bad.connection.listTools())[0]?.description).toBe('Changed 1 times.');
    expect(changes).toBeLessThan(5);
  });

  it('that ends fails all waiting calls, and is reported as closed once', async () => {
    await using server = await startBadServer(transport, {}, { maxConcurrentCalls: 2 });
    await using bad = await connectTo(server.definition);
    const calls = [
      failure(bad.connection.callTool('hang', {})),
      failure(bad.connection.callTool('exit', {})),
      failure(bad.connection.callTool('echo', {})),
    ];

    const errors = await Promise.all(calls);

    expect(errors.map(({ code }) => code)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
    expect(errors.slice(0, 2).map(({ details }) => details?.mayHaveRun)).toEqual([true, true]);
    // The last call waited for a slot. Over HTTP, it may start when another ends, perhaps on a connection that is closing.
    const possible = transport === 'streamable-http' ? [false, true] : [false];
    expect(possible).toContain(errors[2]?.details?.mayHaveRun);
    await bad.closed;
    await bad.connection.close();
    expect(bad.closings).toHaveLength(1);
    await expect(failure(bad.connection.callTool('echo', {}))).resolves.toMatchObject({
      code: 'UNAVAILABLE',
      details: { mayHaveRun: false },
    });
  });

  it('that loses its connection repeatedly is reconnected each time, and leaves nothing behind', async () => {
    await using server = await startBadServer(transport);
    const before = openThings();
    await flap(server.definition, transport === 'stdio' ? 3 : 20);
    await expect.poll(() => leftovers(before)).toEqual([]);
  });

  it('leaves no process and no handle after many connections', async () => {
    await using server = await startBadServer(transport);
    const before = openThings();
    await rounds(server.definition, 8);
    await expect.poll(() => leftovers(before)).toEqual([]);
  });
});

it.each<TransportName>(['stdio', 'sse', 'streamable-http'])(
  'a flood of garbage over %s ends the connection',
  async (transport) => {
    await using server = await startBadServer(transport, {}, { timeoutMs: 30_000 });
    const growth = await growthOf(async () => {
      await using bad = await connectTo(server.definition);
      const error = await failure(bad.connection.callTool('flood', {}));
      expect(['UNAVAILABLE', 'TIMEOUT']).toContain(error.code);
      expect(bad.log.length).toBeLessThan(2_000);
    });
    expect(growth).toBeLessThan(maxGrowth);
  },
);

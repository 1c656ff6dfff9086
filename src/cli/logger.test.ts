import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { createLogger } from './logger.ts';
import type { CliContext } from './terminal/context.ts';

const token = `sk-ant-${'x1Y2'.repeat(8)}`;

/** A terminal whose text can be read. */
function terminal(env: Record<string, string>): { context: CliContext; text: () => string } {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  let text = '';
  stderr.on('data', (chunk) => {
    text += chunk;
  });
  // Only these parts of the context are for a logger.
  return { context: { env, stderr } as unknown as CliContext, text: () => text };
}

it('no record shows a secret: not in its message, nor in a field, an error, its cause or its stack', async () => {
  const { context, text } = terminal({ DEPLOY_TOKEN: 'deploy "value" 1', UNNAMED: 'other-value-2' });
  const logger = createLogger(context, { level: 'info' });
  logger.hide(['other-value-2']);
  const cause = new Error('refused with deploy "value" 1');
  const error = new Error('cannot sign in as other-value-2', { cause });
  logger.error({ err: error, input: { deep: ['deploy "value" 1', 'other-value-2'] } }, `failed with ${token}`);
  logger.info({ password: 'hunter2-x' }, 'the last record');
  await vi.waitFor(() => expect(text()).toContain('the last record'));
  expect(text()).toContain('cannot sign in as [removed]');
  expect(text()).toContain('failed with [removed]');
  for (const secret of [token, 'deploy', 'other-value-2', 'hunter2-x']) expect(text()).not.toContain(secret);
});

it('values that become known later are hidden from then on', async () => {
  const { context, text } = terminal({});
  const logger = createLogger(context, { level: 'info' });
  logger.info({}, 'before: late-value-3');
  await vi.waitFor(() => expect(text()).toContain('late-value-3'));
  logger.hide(['late-value-3']);
  logger.info({}, 'after: late-value-3');
  await vi.waitFor(() => expect(text()).toContain('after: [removed]'));
});

it('a log that cannot be written is reported once, without any record', async () => {
  const { context, text } = terminal(
    new Proxy<Record<string, string>>(
      {},
      {
        ownKeys: () => {
          throw new Error('the environment is closed');
        },
      },
    ),
  );
  const logger = createLogger(context, { level: 'info' });
  logger.info({}, `first ${token}`);
  logger.error({}, 'second');
  await vi.waitFor(() => expect(text()).not.toBe(''));
  expect(text()).toBe('zoo: The log cannot be written: the environment is closed\n');
});

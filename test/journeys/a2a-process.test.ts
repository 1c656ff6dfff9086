import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkoutScript, type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { asTask, connect, say, textOf } from '../support/hubs/a2a-hub.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';
import { questionOf } from '../support/tools/book-flight.ts';

/** Reports on stderr when the SDK is loaded. */
const watchLoading = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name.startsWith('@a2a-js/sdk')) process.stderr.write('loaded ' + name + '\\n');
      return next(name, context);
    },
  });
`)}`;

let model: TestModelServer;
let folder: ZooFolder;
beforeAll(async () => {
  model = await startModelServer({
    script: (request) => {
      const question = questionOf(request);
      if (question.startsWith('hang')) return { text: ['Hm', 'm'], hangAfter: 2 };
      return { text: `You said "${question}".` };
    },
  });
  folder = await zooFolder();
  const agent = '[agents.clerk]\ndescription = "Works."\nmode = "autonomous"\nsystem_prompt = "You work."\n';
  await writeFile(
    join(folder.dir, 'zoo.toml'),
    `[server]\nanonymous = "work"\n\n[engine]\nmodel = "openai-compatible/scripted"\n\n${agent}`,
  );
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await model.close();
});

async function serve(): Promise<{ zoo: RunningZoo; url: string; heard: () => string }> {
  const zoo = startZoo(['serve', '--bind', '127.0.0.1:0'], {
    cwd: folder.dir,
    env: { OPENAI_COMPATIBLE_BASE_URL: model.url },
    node: [process.execPath, '--import', watchLoading],
    // File names in a bundle do not show the library.
    script: checkoutScript,
  });
  let heard = '';
  zoo.process.stderr?.on('data', (text: string) => {
    heard += text;
  });
  const [url] = await zoo.says(/http:\/\/127\.0\.0\.1:\d+/);
  return { zoo, url: `${url}/agents/clerk`, heard: () => heard };
}

it('the SDK is loaded with the first message, not for cards', async () => {
  const { zoo, url, heard } = await serve();
  await using _ending = zoo;
  const client = await connect(url);
  expect(heard()).not.toContain('loaded');
  await client.sendMessage(say('hello'));
  await zoo.says(/loaded @a2a-js\/sdk/);
});

it('a task that a crash interrupted has failed, and its conversation continues', async () => {
  const first = await serve();
  await using _ending = first.zoo;
  const client = await connect(first.url);
  const asked = model.requests.length;
  const task = asTask(await client.sendMessage(say('hang on', { immediately: true })));
  expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING);
  await model.requested(asked + 1);
  first.zoo.process.kill('SIGKILL');
  await first.zoo.ended;

  const second = await serve();
  await using _endingToo = second.zoo;
  const again = await connect(second.url);
  const { contextId, id } = task;
  const left = await again.getTask({ tenant: '', id });
  expect(left.status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect(left.status?.message?.parts[0]?.content?.value).not.toBe('');
  const next = asTask(await again.sendMessage(say('still there?', { contextId })));
  expect(textOf(next)).toBe('You said "still there?".');
});

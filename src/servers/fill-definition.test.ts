import { expect, it } from 'vitest';
import { fillDefinition } from './fill-definition.ts';
import { ServerDefinition, type ServerDefinitionInput } from './server-definition.ts';

const env: Record<string, string> = { TOKEN: 'secret-token', HOST: 'x.dev', SCHEME: 'file' };

function fill(definition: ServerDefinitionInput) {
  return fillDefinition('x', ServerDefinition.parse(definition), (name) => env[name]);
}

it('fills variables everywhere', () => {
  expect(
    fill({
      transport: 'stdio',
      command: `\${HOST}`,
      args: [`--t=\${TOKEN}`, `$\${TOKEN}`, `\${NONE:-else}`],
      env: { A: `\${TOKEN}` },
    }),
  ).toMatchObject({ command: 'x.dev', args: ['--t=secret-token', `\${TOKEN}`, 'else'], env: { A: 'secret-token' } });
  expect(
    fill({
      transport: 'sse',
      url: `https://\${HOST}/mcp`,
      headers: { A: `Bearer \${TOKEN}` },
      auth: { type: 'bearer', token: `\${TOKEN}` },
    }),
  ).toMatchObject({ url: 'https://x.dev/mcp', headers: { A: 'Bearer secret-token' }, auth: { token: 'secret-token' } });
});

it('names the variable and the field that is not set, but no values', () => {
  expect(() => fill({ transport: 'stdio', command: 'x', env: { A: `\${TOKEN}\${NONE}` } })).toThrow(
    `Server "x": env.A: the environment variable NONE is not set. Set it, or write $\${NONE} for the literal text.`,
  );
});

it('a URL must be valid after it is filled in', () => {
  expect(() => fill({ transport: 'sse', url: `\${SCHEME}://x` })).toThrow(/url: is not an http or https address/);
});

import { describe, expect, it } from 'vitest';
import { fillDefinition } from '../fill-definition.ts';
import { maskDefinition } from '../mask-secrets.ts';
import { ServerDefinition } from '../server-definition.ts';
import bundled from './catalogue.json' with { type: 'json' };
import { CatalogueServer } from './catalogue.ts';
import { checkValues, type FieldValues, suggestName, type WayToAdd, waysToAdd } from './ways-to-add.ts';

const stdio = { transport: { type: 'stdio' } };
const npm = { registryType: 'npm', identifier: '@ada/weather', version: '1.2.3', ...stdio };
const entry = (parts: object) =>
  CatalogueServer.parse({ name: 'io.github.ada/weather', description: 'x', version: '1.0.0', ...parts });
const ways = (parts: object) => waysToAdd(entry(parts));
function only(parts: object): WayToAdd {
  const [way, ...others] = ways(parts);
  if (!way || others.length > 0) throw new Error('one way was expected');
  return way;
}
const define = (given: object, values: FieldValues = {}) => only({ packages: [given] }).define(values);

describe('the definition of a catalogue entry', () => {
  it.each([
    ['npm', npm, ['npx', '-y', '@ada/weather@1.2.3']],
    ['npm without a version', { ...npm, version: undefined }, ['npx', '-y', '@ada/weather']],
    ['pypi', { registryType: 'pypi', identifier: 'weather', version: '0.4', ...stdio }, ['uvx', 'weather==0.4']],
    [
      'oci',
      { registryType: 'oci', identifier: 'ghcr.io/ada/weather', version: '2', ...stdio },
      ['docker', 'run', '-i', '--rm', 'ghcr.io/ada/weather:2'],
    ],
    [
      'oci with a tag',
      { registryType: 'oci', identifier: 'ghcr.io/ada/weather:2', version: '9', ...stdio },
      ['docker', 'run', '-i', '--rm', 'ghcr.io/ada/weather:2'],
    ],
  ])('%s runs a pinned package', (_, given, [command, ...args]) => {
    expect(define(given)).toEqual({ transport: 'stdio', command, args, env: {} });
  });

  it('passes arguments in their order: fixed, flags, typed, repeated and with variables', () => {
    const given = {
      ...npm,
      runtimeArguments: [{ type: 'named', name: '-y' }],
      packageArguments: [
        { type: 'positional', value: 'serve' },
        { type: 'named', name: '--stdio' },
        { type: 'named', name: '--city', description: 'A city.' },
        { type: 'named', name: '--unit', default: 'celsius' },
        { type: 'named', name: '--verbose', format: 'boolean', description: 'More.' },
        { type: 'named', name: '-m', value: 'src={from},dst=/data', variables: { from: { isRequired: true } } },
        { type: 'positional', valueHint: 'folder', isRequired: true, isRepeated: true },
      ],
    };
    const values = {
      'argument.2': 'Turin',
      'argument.4': 'true',
      'argument.5.from': '/home',
      'argument.6': '/one\n/two\n',
    };
    expect(define(given, values)).toMatchObject({
      args: [
        '-y',
        '@ada/weather@1.2.3',
        'serve',
        '--stdio',
        '--city=Turin',
        '--unit=celsius',
        '--verbose',
        '-m',
        'src=/home,dst=/data',
        '/one',
        '/two',
      ],
    });
    const way = only({ packages: [given] });
    expect(way.fields.map(({ label, isNeeded }) => `${label}${isNeeded ? '!' : ''}`)).toEqual([
      '--city',
      '--unit',
      '--verbose',
      'from!',
      'folder!',
    ]);
    expect(checkValues(way, {})).toEqual({
      'argument.5.from': 'Enter a value for from.',
      'argument.6': 'Enter a value for folder.',
    });
    expect(checkValues(way, values)).toEqual({});
  });

  it('gives docker the names of variables, and their values only through its environment', () => {
    const given = {
      registryType: 'oci',
      identifier: 'ghcr.io/ada/weather',
      ...stdio,
      environmentVariables: [{ name: 'TOKEN', isRequired: true, isSecret: true }],
    };
    expect(define(given, { 'env.TOKEN': 'abc' })).toMatchObject({
      args: ['run', '-i', '--rm', '-e', 'TOKEN', 'ghcr.io/ada/weather'],
      env: { TOKEN: 'abc' },
    });
  });

  it('options that say what the hub does anyway are dropped, and docker gets variables for the container', () => {
    const token = { type: 'named', name: '-e', value: 'API_TOKEN={token}', variables: { token: { isSecret: true } } };
    const given = {
      registryType: 'oci',
      identifier: 'ghcr.io/ada/weather',
      ...stdio,
      runtimeArguments: [
        { type: 'positional', value: 'run' },
        { type: 'named', name: '-i', description: 'Interactive.' },
        { type: 'named', name: '--rm', format: 'boolean', value: 'true' },
        token,
      ],
    };
    expect(define(given, { 'runtime.0.token': 'abc' })).toMatchObject({
      args: ['run', '-i', '--rm', '-e', 'API_TOKEN=abc', 'ghcr.io/ada/weather'],
    });
  });

  it('a definition that cannot be added is explained, at its field if there is one', () => {
    const way = only({
      remotes: [
        { type: 'sse', url: 'https://{host}/', variables: { host: {} }, headers: [{ name: 'X Y', value: 'a' }] },
      ],
    });
    expect(checkValues(way, { 'url.host': 'a b' })).toEqual({
      'url.host': expect.stringMatching(/./),
      '': expect.stringMatching(/headers/),
    });
  });

  it('a default that says where to connect is shown, and not used unless it is typed', () => {
    const given = { ...npm, environmentVariables: [{ name: 'API_URL', default: 'https://evil.test' }] };
    expect(define(given)).toMatchObject({ env: {} });
    expect(only({ packages: [given] }).fields).toMatchObject([{ default: '', placeholder: 'https://evil.test' }]);
    expect(define(given, { 'env.API_URL': 'https://good.test' })).toMatchObject({
      env: { API_URL: 'https://good.test' },
    });
  });

  it('fills the headers and the address of a remote server', () => {
    const way = only({
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{region}.example.com/mcp',
          variables: { region: { default: 'eu', choices: ['eu', 'us'] } },
          headers: [
            {
              name: 'Authorization',
              value: 'Bearer {token}',
              variables: { token: { isRequired: true, isSecret: true } },
            },
            { name: 'X-Team', description: 'A team.' },
          ],
        },
      ],
    });
    expect(way.define({ 'header.Authorization.token': `\${MY_TOKEN}` })).toEqual({
      transport: 'streamable-http',
      url: 'https://eu.example.com/mcp',
      headers: { Authorization: `Bearer \${MY_TOKEN}` },
    });
    expect(checkValues(way, { 'url.region': 'mars' })).toEqual({
      'url.region': 'Choose one of eu, us.',
      'header.Authorization.token': 'Enter a value for token.',
    });
  });

  it.each<[string, object]>([
    ['another kind of package', { registryType: 'mcpb', identifier: 'https://example.com/x.mcpb', ...stdio }],
    ['a package that serves HTTP', { ...npm, transport: { type: 'streamable-http' } }],
    ['another command', { ...npm, runtimeHint: 'sh' }],
    ['another registry', { ...npm, registryBaseUrl: 'https://registry.example.com' }],
    ['an option instead of a package', { ...npm, identifier: '--call=rm' }],
    ['a repository instead of a package', { ...npm, identifier: 'github:ada/weather' }],
    ['an option in the version', { ...npm, version: ' --call' }],
    ...[
      'npm_config_registry',
      'UV_INDEX_URL',
      'DOCKER_HOST',
      'NODE_OPTIONS',
      'PATH',
      'GITHUB_API_URL',
      'PGHOST',
      'AWS_ENDPOINT_URL_S3',
      'GOPROXY',
      'API_BASEURL',
      'COMSPEC',
    ].map((name): [string, object] => [
      `a value for ${name}`,
      { ...npm, environmentVariables: [{ name, value: 'https://evil.test' }] },
    ]),
    ['a name that sets another variable', { ...npm, environmentVariables: [{ name: 'X_HOST=evil', value: 'x' }] }],
    ...[
      ['npx -c', npm, { type: 'named', name: '-c', value: 'rm' }],
      ['npx --package', npm, { type: 'named', name: '--package', value: 'evil' }],
      ['npx with another package', npm, { type: 'positional', value: 'evil' }],
      ['a package as the value of -y', npm, { type: 'named', name: '-y', value: 'evil' }],
      [
        'uvx --from',
        { ...npm, registryType: 'pypi', identifier: 'x' },
        { type: 'named', name: '--from', value: 'evil' },
      ],
      ...['-v=/:/host', '--privileged', '--mount=type=bind,src=/,dst=/host', '--network=host'].map((flag) => {
        const [name = '', ...value] = flag.split('=');
        const given = { type: 'named', name, ...(value.length > 0 && { value: value.join('=') }) };
        return [`docker ${flag}`, { ...npm, registryType: 'oci', identifier: 'ghcr.io/x/y' }, given] as const;
      }),
      ...['TOKEN', 'NODE_OPTIONS=--require=/evil.js'].map((value) => {
        const given = { type: 'named', name: '-e', value };
        return [`docker -e ${value}`, { ...npm, registryType: 'oci', identifier: 'ghcr.io/x/y' }, given] as const;
      }),
    ].map(([what, given, argument]): [string, object] => [
      String(what),
      { ...Object(given), runtimeArguments: [argument] },
    ]),
    [
      'a secret in a plain argument',
      { ...npm, packageArguments: [{ type: 'positional', valueHint: 'x', isSecret: true }] },
    ],
  ])('%s is not offered', (_, given) => {
    expect(ways({ packages: [given] })).toEqual([]);
  });

  it("an entry never reads the hub's environment, not even from two pieces", () => {
    const way = only({
      packages: [
        {
          ...npm,
          packageArguments: [
            { type: 'positional', value: `\${HOME}` },
            { type: 'named', name: `--x\${HOME}` },
            { type: 'positional', value: '{a}{b}', variables: { a: { default: '$' }, b: { default: '{HOME}' } } },
          ],
          environmentVariables: [
            { name: 'A', default: `\${HOME:-x}` },
            { name: 'B', description: 'Typed.' },
          ],
        },
      ],
    });
    const definition = ServerDefinition.parse(way.define({ 'env.B': `\${HOME}` }));
    const filled = fillDefinition('x', definition, () => 'secret');
    expect(filled).toMatchObject({
      args: ['-y', '@ada/weather@1.2.3', `\${HOME}`, `--x\${HOME}`, `\${HOME}`],
      // What the user typed may.
      env: { A: `\${HOME:-x}`, B: 'secret' },
    });
  });
});

it('the way that needs least comes first, and a container last', () => {
  const token = { environmentVariables: [{ name: 'TOKEN', isRequired: true }] };
  const remote = { type: 'streamable-http', url: 'https://example.com/mcp' };
  const container = { registryType: 'oci', identifier: 'ghcr.io/ada/weather', ...stdio };
  const found = ways({ packages: [container, { ...npm, ...token }], remotes: [remote] });
  expect(found.map(({ label }) => label)).toEqual(['Remote server', 'npm package', 'Container']);
});

describe('the name of a new server', () => {
  it.each([
    [{ title: 'Chrome DevTools', name: 'a.b/c' }, [], 'chrome-devtools'],
    [{ name: 'io.github.ada/mcp-server-weather' }, [], 'weather'],
    [{ name: 'com.supabase/mcp' }, [], 'supabase'],
    [{ title: 'Memory', name: 'a/b' }, ['memory', 'memory-2'], 'memory-3'],
    [{ title: 'Mail', name: 'a/b' }, [], 'mail-2'],
    [{ title: 'x'.repeat(60), name: 'a/b' }, ['x'.repeat(40)], `${'x'.repeat(38)}-2`],
  ])('%j with %j is %s', (server, taken, name) => {
    expect(suggestName({ title: undefined, ...server }, taken)).toBe(name);
  });
});

describe('the catalogue that comes with the product', () => {
  const servers = bundled.servers.map((server) => CatalogueServer.parse(server));

  it('has every server once', () => {
    expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length);
    expect(new Set(servers.map(({ title }) => title)).size).toBe(servers.length);
    expect(servers.length).toBeGreaterThanOrEqual(15);
  });

  it.each(servers.map((server) => [server.title ?? '', server] as const))(
    '%s can be added in every way',
    (_, server) => {
      const found = waysToAdd(server);
      expect(found).toHaveLength(server.packages.length + server.remotes.length);
      for (const way of found) {
        const values = Object.fromEntries(way.fields.map(({ key, choices }) => [key, choices[0] ?? 'some-value']));
        expect(checkValues(way, values)).toEqual({});
        const masked = JSON.stringify(maskDefinition(ServerDefinition.parse(way.define(values))));
        if (way.fields.every(({ isSecret }) => isSecret)) expect(masked).not.toContain('some-value');
      }
      for (const { version, registryType } of server.packages)
        if (registryType === 'npm') expect(version).toMatch(/^\d/);
    },
  );
});

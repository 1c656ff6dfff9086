import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../../scripts/run-step.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { hubContract } from '../../src/http/hub.contract.ts';
import { freePort } from '../support/servers/free-port.ts';

const run = promisify(execFile);
const read = (path: string) => readFile(join(root, path), 'utf8');
const containerfile = await read('Containerfile');
const settings = await read('deploy/zoo.toml');
const drainSeconds = Number(/^drain_seconds = (\d+)$/m.exec(settings)?.[1]);
/** The hub gives running calls this long after the drain. */
const callSeconds = 5;

const isRoot = process.getuid?.() === 0;
/** The steps run as `nobody` if the tests may choose a user. */
const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};

describe('the steps of the Containerfile, in an empty folder as another user', () => {
  let folder: string;
  let env: Record<string, string>;
  let npm: Record<string, string>;
  /** A path of the image, in this folder. */
  const here = (text: string) => (/^\/(?:out|app|data)\b/.test(text) ? join(folder, text) : text);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-zoo-image-'));
    await chmod(folder, 0o755);
    for (const name of ['build', 'out', 'app', 'data', 'tmp', 'home']) await mkdir(join(folder, name));
    await copySources(join(folder, 'build'));
    if (isRoot) await run('chown', ['-R', '65534:65534', '--no-dereference', folder]);
    const { stdout: registry } = await run('npm', ['config', 'get', 'registry'], { cwd: root });
    env = {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
    };
    const cache = join(folder, 'home/npm');
    npm = { npm_config_registry: registry.trim(), npm_config_cache: cache, npm_config_omit: 'optional' };
  }, 180_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('build and install the package, start a hub that changes only its data, check its health and stop it', async () => {
    const [build = [], install = [], ...others] = commands();
    const cwd = join(folder, 'build');
    const options = { cwd, env: { ...process.env, ...env, ...npm }, ...user };
    // A checkout in a private folder can only be built by its owner.
    const mayBuild = await run('test', ['-r', 'node_modules/.bin'], options).then(
      () => true,
      () => false,
    );
    const [[builder = '', ...out], [installer = '', ...app]] = [build, install];
    await run(join(cwd, builder), out.map(here), mayBuild ? options : { cwd });
    await run(join(cwd, installer), app.map(here), options);
    expect(await readdir(join(folder, 'out'))).toEqual([expect.stringMatching(/^agent-zoo-.*\.tgz$/)]);
    expect(await readdir(join(folder, 'app'))).toEqual(
      expect.arrayContaining(['healthcheck.js', 'node_modules', 'start.sh', 'zoo.toml']),
    );
    const installed = await readdir(join(folder, 'app'), { recursive: true });
    expect(installed.filter((file) => /(?<!\.d)\.[cm]?tsx?$/.test(file) && !file.includes('zod'))).toEqual([]);
    // The other steps create the user of the image and its /data, as this test has.
    expect(others).toEqual([
      expect.arrayContaining(['useradd', '--uid', '10001', '--home-dir', '/data']),
      ['install', '-d', '-o', '10001', '-g', '10001', '-m', '0700', '/data'],
    ]);
    // The files of an image belong to root.
    if (isRoot) await run('chown', ['-R', '0:0', join(folder, 'app')]);

    const port = await freePort();
    const image = Object.fromEntries(
      steps('ENV').flatMap((line) =>
        [...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, here(value ?? '')]),
      ),
    );
    const hubEnv = {
      ...env,
      ...image,
      AGENT_ZOO_SECRET: 'a secret of at least sixteen characters',
      ZOO_PUBLIC_URL: 'https://zoo.example',
      ZOO_PROXIES: '10.1.2.3',
      ZOO_PORT: `${port}`,
    };
    const [entry = ''] = JSON.parse(steps('ENTRYPOINT')[0] ?? '[]') as string[];
    const [, command = ''] = /CMD (\[.*\])$/.exec(steps('HEALTHCHECK')[0] ?? '') ?? [];
    const [checker = '', ...checkerValues] = JSON.parse(command) as string[];
    const place = { cwd: join(folder, 'data'), env: hubEnv, ...user };
    const check = (...more: string[]) =>
      run(checker, [...checkerValues.map(here), ...more], place).then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    expect(await check()).toBe(1);

    const before = await fingerprint(join(folder, 'app'));
    const arguments_ = [...(JSON.parse(steps('CMD')[0] ?? '[]') as string[]), '--bind', `127.0.0.1:${port}`];
    const hub = spawn(here(entry), arguments_, { ...place, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    hub.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const ended = new Promise<number | null>((resolve) => hub.once('exit', resolve));
    try {
      await expect.poll(() => check(), { timeout: 60_000 }).toBe(0);
      expect(await check('/ready')).toBe(0);
      expect(await check('/nowhere')).toBe(1);

      // MCP servers that are started with npx are kept there.
      const { stdout: cache } = await run('npm', ['config', 'get', 'cache'], place);
      expect(cache).toMatch(join(folder, 'data'));

      const { stdout: key } = await run(here(entry), ['key'], place);
      const metrics = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/metrics`, { headers });
      expect((await metrics({})).status).toBe(401);
      const shown = await (await metrics({ authorization: `Bearer ${key.trim()}` })).text();
      const named = new Set((await read('docs/deploy.md')).match(/\b(?:zoo|process)_[a-z_]+\b/g));
      expect(named.size).toBeGreaterThan(4);
      const exported = [...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      );
      expect([...named].filter((name) => !exported.includes(name))).toEqual([]);

      hub.kill('SIGTERM');
      await expect.poll(() => check('/ready'), { timeout: 30_000 }).toBe(1);
      expect(await check()).toBe(0);
      // The second signal skips the rest of the drain.
      hub.kill('SIGTERM');
      expect(await ended, said).toBe(0);
    } finally {
      hub.kill('SIGKILL');
      await ended;
    }
    expect(await fingerprint(join(folder, 'app'))).toEqual(before);
    expect(await readdir(join(folder, 'data'))).toContain('zoo.sqlite');
  }, 600_000);

  it('a setting that is missing is named', async () => {
    const config = await loadConfig({
      cwd: root,
      env: { ZOO_CONFIG: join(root, 'deploy/zoo.toml') },
      home: folder,
    }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(config).toContain('ZOO_PUBLIC_URL');
  });
});

describe('the files for other ways to run it', () => {
  it('the config applies, and serves behind the named proxies only', async () => {
    const env = {
      ZOO_CONFIG: join(root, 'deploy/zoo.toml'),
      ZOO_PUBLIC_URL: 'https://zoo.example',
      ZOO_PROXIES: '10.0.0.0/8',
      AGENT_ZOO_HOME: '/data',
      DATABASE_URL: 'postgres://zoo@postgres/zoo',
    };
    const { config, problems } = await loadConfig({ cwd: root, env, home: '/nonexistent' });
    expect(problems).toEqual([]);
    expect(config.server).toMatchObject({
      bind: '0.0.0.0:7331',
      public_url: 'https://zoo.example',
      trusted_proxies: ['10.0.0.0/8'],
    });
    expect(config.db).toEqual({ url: env.DATABASE_URL });
    expect(drainSeconds).toBeGreaterThan(5);
  });

  it('the image runs as an ordinary user on a named version, and every step but the packages is a command or a script', async () => {
    for (const image of [...containerfile.matchAll(/^FROM (\S+)/gm)].map(([, name = '']) => name)) expectPinned(image);
    expect(steps('USER')).toEqual(['10001:10001']);
    expect(steps('EXPOSE')).toEqual(['7331']);
    expect(containerfile).not.toMatch(/^ADD/m);
    // Git sources need these.
    expect(steps('RUN').filter((step) => !step.startsWith('['))).toEqual([
      expect.stringMatching(/^apt-get update && apt-get install .* ca-certificates git openssh-client && rm/),
    ]);
    for (const [script = ''] of commands()) {
      if (script.includes('/')) expect((await stat(join(root, script))).mode & 0o111).toBe(0o111);
    }
  });

  it('compose: two replicas that change nothing but their data, behind the proxy that they trust', async () => {
    const { services, networks } = parse(await read('compose.yaml'), { merge: true });
    // Parallel builds of one image can fail, so one service builds it.
    const [builder, ...builders] = Object.values<Record<string, unknown>>(services).filter(({ build }) => build);
    expect(builders).toEqual([]);
    for (const service of Object.values<Record<string, unknown>>(services)) {
      if (service.image !== builder?.image) expectPinned(String(service.image));
      else if (service !== builder) expect(service.pull_policy).toBe('never');
      expect(service).toMatchObject({ read_only: true, security_opt: ['no-new-privileges:true'] });
    }
    const hubs = Object.keys(services).filter((name) => name.startsWith('zoo-'));
    expect(hubs).toHaveLength(2);
    const caddyfile = await read('deploy/proxy/Caddyfile');
    expect(caddyfile).toContain(`reverse_proxy ${hubs.map((name) => `${name}:7331`).join(' ')} {`);
    expect(caddyfile).toContain('lb_policy round_robin');
    expect(caddyfile).not.toMatch(/header_up Host|sticky|ip_hash|cookie/);
    expectRoute(/health_uri (\S+)/.exec(caddyfile)?.[1]);
    // What the proxy replies itself says, as the hub does, whether the request may be repeated.
    const replies = [...caddyfile.matchAll(/respond `(.*)` (\S+)/g)].map(([, body = '', status]) => {
      const { code, retryable } = JSON.parse(body).error;
      return { status, code, retryable };
    });
    expect(replies).toEqual([
      { status: '503', code: 'unavailable', retryable: true },
      { status: '{http.error.status_code}', code: 'unavailable', retryable: false },
    ]);
    const address = services.proxy.networks.hub.ipv4_address;
    const [{ subnet, ip_range: range }] = networks.hub.ipam.config;
    expect(isIn(subnet, address)).toBe(true);
    // The other containers get addresses from here, so none can take the one that the hubs trust.
    expect(isIn(subnet, range.split('/')[0])).toBe(true);
    expect(isIn(range, address)).toBe(false);
    for (const name of hubs) {
      const hub = services[name];
      expect(hub).toMatchObject({ cap_drop: ['ALL'], init: true, tmpfs: ['/tmp'], volumes: [`${name}:/data`] });
      expect(hub.ports).toBeUndefined();
      expect(hub.environment.ZOO_PROXIES).toBe(address);
      expect(healthCheckOf(hub.healthcheck)).toBe(steps('HEALTHCHECK')[0]);
      expect(Number.parseInt(hub.stop_grace_period, 10)).toBeGreaterThan(drainSeconds + callSeconds);
      await expectKnown(Object.keys(hub.environment));
    }
  });

  it('Kubernetes: replicas that are replaced one by one, as an ordinary user on a read-only file system', async () => {
    const objects = parseAllDocuments(await read('deploy/kubernetes/zoo.yaml')).map((document) => document.toJS());
    const byKind = Object.fromEntries(objects.map((object) => [object.kind, object]));
    const { Deployment, Service, Secret, PodDisruptionBudget, Ingress, NetworkPolicy } = byKind;
    const { spec } = Deployment.spec.template;
    const [container] = spec.containers;
    expect(Deployment.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expectPinned(container.image);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + callSeconds);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expectRoute(container[probe].httpGet.path);
      expect(container[probe].httpGet.port).toBe('http');
    }
    expect(container.livenessProbe.httpGet.path).toBe('/health');
    expect(container.readinessProbe.httpGet.path).toBe('/ready?reads=true');
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(periodSeconds * failureThreshold).toBeLessThan(drainSeconds);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 7331 }]);
    expect(Service.spec).toMatchObject({
      selector: Deployment.spec.selector.matchLabels,
      ports: [{ targetPort: 'http' }],
    });
    expect(PodDisruptionBudget.spec).toMatchObject({ minAvailable: 1, selector: Deployment.spec.selector });
    expect(Ingress.spec.rules[0].http.paths[0].backend.service.name).toBe(Service.metadata.name);
    expect(container.envFrom).toEqual([{ secretRef: { name: Secret.metadata.name } }]);
    const variables = container.env.map(({ name }: { name: string }) => name);
    await expectKnown([...variables, ...Object.keys(Secret.stringData)]);
    // A range that fits every cluster would let any pod speak for others.
    const proxies = container.env.find(({ name }: { name: string }) => name === 'ZOO_PROXIES');
    expect(proxies.value).toMatch(/^<.*ingress controller.*>$/);
    expect(NetworkPolicy.spec).toEqual({
      podSelector: Deployment.spec.selector,
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': expect.stringMatching(/^<.+>$/) } } },
          ],
          ports: [{ port: 'http' }],
        },
      ],
    });
    const writable = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(writable).toEqual(['/data', '/tmp']);
  });

  it('systemd: a user of its own that can write only its state', async () => {
    const unit = await read('deploy/systemd/agent-zoo.service');
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
    expect(value('User')).toBe('agent-zoo');
    for (const name of ['NoNewPrivileges', 'ProtectHome', 'PrivateTmp', 'PrivateDevices', 'ProtectKernelTunables'])
      expect(value(name), name).toBe('yes');
    expect(value('ProtectSystem')).toBe('strict');
    expect(value('CapabilityBoundingSet')).toBe('');
    expect(value('ReadWritePaths')).toBeUndefined();
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(drainSeconds + callSeconds);
    const environment = [...(value('Environment') ?? '').matchAll(/(\w+)=(\S+)/g)];
    expect(Object.fromEntries(environment.map(([, name, path]) => [name, path]))).toMatchObject({
      AGENT_ZOO_HOME: `/var/lib/${value('StateDirectory')}`,
    });
    await expectKnown(environment.map(([, name = '']) => name));
    expect(value('ExecStart')).toMatch(/node_modules\/agent-zoo\/bin\/zoo\.js serve$/);
  });
});

/** Copies what the build gets: the files that .dockerignore names, as git has them. What `npm ci` installs is that of this checkout. */
async function copySources(folder: string): Promise<void> {
  const kept = [...(await read('.dockerignore')).matchAll(/^!(.+)$/gm)].map(([, name = '']) => name);
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...kept];
  const { stdout } = await run('git', list, { cwd: root, maxBuffer: 10_000_000 });
  for (const file of stdout.split('\0').filter((name) => name !== ''))
    await cp(join(root, file), join(folder, file), { recursive: true });
  // The build writes into node_modules, too.
  await mkdir(join(folder, 'node_modules'));
  const packages = (await readdir(join(root, 'node_modules'))).filter(
    (name) => name === '.bin' || !name.startsWith('.'),
  );
  for (const name of packages) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
}

/** Returns what follows each instruction of this name. */
function steps(name: string): string[] {
  return [...containerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, value = '']) => value);
}

/** Returns the steps that need no shell. */
function commands(): string[][] {
  return steps('RUN').flatMap((step) => (step.startsWith('[') ? [JSON.parse(step) as string[]] : []));
}

function isIn(range: string, address: string): boolean {
  const [network = '', bits] = range.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return list.check(address);
}

interface HealthCheck {
  test: string[];
  interval: string;
  timeout: string;
  start_period: string;
  retries: number;
}

/** Returns the instruction of a Containerfile. */
function healthCheckOf({ test: [kind, ...command], interval, timeout, start_period, retries }: HealthCheck): string {
  const options = `--interval=${interval} --timeout=${timeout} --start-period=${start_period} --retries=${retries}`;
  return `${options} ${kind} [${command.map((each) => JSON.stringify(each)).join(', ')}]`;
}

function expectPinned(image: string): void {
  expect(image).toMatch(/:\d+\.\d+(?:\.\d+)?(?:-[\w.-]+)?$/);
}

function expectRoute(path: string | undefined): void {
  expect(Object.keys(hubContract.operations)).toContain(`GET ${path?.split('?')[0]}`);
}

/** Expects variables that the hub, or its config for servers, reads. */
async function expectKnown(variables: readonly string[]): Promise<void> {
  const documented = [...(await read('docs/configuration.md')).matchAll(/^\| (`[A-Z_]+`[^|]*) \|/gm)].flatMap(
    ([, names = '']) => names.match(/[A-Z_]{3,}/g) ?? [],
  );
  const used = [...settings.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
  const known = new Set([...documented, ...used, 'NODE_ENV']);
  expect(variables.filter((name) => !known.has(name))).toEqual([]);
}

/** Returns the size and time of every file. */
async function fingerprint(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
  return found.sort();
}

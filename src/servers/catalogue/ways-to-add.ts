import { describeIssue } from '../../base/describe-issue.ts';
import { slugify } from '../../base/ids.ts';
import { changesProgram, maskDefinition } from '../mask-secrets.ts';
import { ServerDefinition, type ServerDefinitionInput, ServerName, serverLimits } from '../server-definition.ts';
import type {
  CatalogueArgument,
  CatalogueInput,
  CataloguePackage,
  CatalogueRemote,
  CatalogueServer,
  NamedInput,
} from './catalogue.ts';

/** A value that the user may or must enter. */
export interface CatalogueField extends Pick<CatalogueInput, 'isSecret' | 'format'> {
  key: string;
  label: string;
  description: string;
  /** Without a value, the server cannot be added. */
  isNeeded: boolean;
  /** Accepts several values, one per line. */
  isRepeated: boolean;
  default: string;
  placeholder: string;
  choices: readonly string[];
}

/** The values that the user entered, by the key of their field. */
export type FieldValues = Readonly<Record<string, string | undefined>>;

/** One way to run or reach a server of the catalogue. */
export interface WayToAdd {
  /** What runs or answers, to show to the user. */
  label: string;
  fields: CatalogueField[];
  /** Returns the definition for the existing way to add servers. */
  define(values: FieldValues): ServerDefinitionInput;
}

/** Returns the ways that the hub supports, the easiest first. An entry without any is not offered. */
export function waysToAdd({ packages, remotes }: Pick<CatalogueServer, 'packages' | 'remotes'>): WayToAdd[] {
  const ways = [...packages.map(packageWay), ...remotes.map(remoteWay)].filter((way) => way !== undefined);
  return ways.filter(keepsSecrets).toSorted((one, other) => effortOf(one) - effortOf(other));
}

/** Few people have Docker, so a container comes last. */
function effortOf({ label, fields }: WayToAdd): number {
  return fields.filter(({ isNeeded }) => isNeeded).length + (label === runners.oci.label ? 100 : 0);
}

/** Returns the problems by field; empty if the server can be added. A problem that belongs to no field has an empty key. */
export function checkValues({ fields, define }: WayToAdd, values: FieldValues): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { key, label, isNeeded, format, choices } of fields) {
    const value = values[key]?.trim() ?? '';
    if (value === '') {
      if (isNeeded) problems[key] = `Enter a value for ${label}.`;
    } else if (choices.length > 0 && !choices.includes(value)) problems[key] = `Choose one of ${choices.join(', ')}.`;
    else if (format === 'number' && !value.includes('${') && Number.isNaN(Number(value)))
      problems[key] = 'Enter a number.';
  }
  if (Object.keys(problems).length > 0) return problems;
  const { error } = ServerDefinition.safeParse(define(values));
  for (const issue of error?.issues ?? []) {
    const [part = '', name] = issue.path.map(String);
    const { path, message } = describeIssue(issue);
    const prefix = part === 'env' ? `env.${name}` : part === 'headers' ? `header.${name}` : part;
    const field = fields.find(({ key }) => key === prefix || key.startsWith(`${prefix}.`));
    problems[field?.key ?? ''] ??= field ? message : `${path}: ${message}`;
  }
  return problems;
}

/** Suggests a name that is free and allowed: "Chrome DevTools" → chrome-devtools. */
export function suggestName(
  { title, name }: Pick<CatalogueServer, 'title' | 'name'>,
  taken: readonly string[],
): string {
  const [namespace = '', last = ''] = name.split('/');
  const short = slugify(last).replace(/^(mcp-server-|server-|mcp-)|(-mcp-server|-server|-mcp)$/g, '');
  const generic = short === '' || short === 'mcp' || short === 'server';
  const base = slugify(title ?? (generic ? (namespace.split('.').at(-1) ?? '') : short)) || 'server';
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const free = `${base.slice(0, serverLimits.name - suffix.length).replace(/-+$/, '')}${suffix}`;
    if (!taken.includes(free) && ServerName.safeParse(free).success) return free;
  }
}

/**
 * The command for each kind of package, and how its identifier and version are written. The entry can name neither another command nor
 * an option of it: `npx -c`, `uvx --from` and `docker -v /:/host` run or reach something else than the package. `implied` are the
 * options that say what the hub does anyway.
 */
const runners = {
  npm: {
    label: 'npm package',
    command: 'npx',
    before: ['-y'],
    implied: ['-y', '--yes', '-q', '--quiet'],
    hosts: ['registry.npmjs.org'],
    identifier: /^(?:@[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/,
    join: '@',
  },
  pypi: {
    label: 'Python package',
    command: 'uvx',
    before: [],
    implied: ['-q', '--quiet'],
    hosts: ['pypi.org'],
    identifier: /^[A-Za-z0-9][\w.-]*$/,
    join: '==',
  },
  oci: {
    label: 'Container',
    command: 'docker',
    before: ['run', '-i', '--rm'],
    implied: ['run', '-i', '--interactive', '--rm', '--init'],
    hosts: ['docker.io', 'ghcr.io', 'quay.io', 'mcr.microsoft.com', 'gcr.io', 'public.ecr.aws'],
    identifier: /^[A-Za-z0-9][\w.:/@-]*$/,
    join: ':',
  },
} as const;

function packageWay(given: CataloguePackage): WayToAdd | undefined {
  const { registryType, registryBaseUrl, identifier, version, runtimeHint, transport } = given;
  if (!Object.hasOwn(runners, registryType) || transport.type !== 'stdio') return undefined;
  const runner = runners[registryType as keyof typeof runners];
  const host = registryBaseUrl === undefined ? undefined : (URL.parse(registryBaseUrl)?.hostname ?? '');
  if (host !== undefined && !runner.hosts.some((each) => host === each)) return undefined;
  if (runtimeHint !== undefined && runtimeHint !== runner.command) return undefined;
  // Anything else could be an option, a URL or a folder to the command.
  if (!runner.identifier.test(identifier)) return undefined;
  if (version !== undefined && !/^[A-Za-z0-9][\w.+!-]*$/.test(version)) return undefined;
  const isPinned = version === undefined || (registryType === 'oci' && /[:@][^/]*$/.test(identifier));
  const named = isPinned ? identifier : `${identifier}${runner.join}${version}`;
  const { packageArguments } = given;
  if (!given.environmentVariables.every(isHarmless)) return undefined;
  const environmentVariables = given.environmentVariables.map(withoutSteering);
  const runtimeArguments = given.runtimeArguments.filter((each) => !isImplied(each, runner.implied));
  if (!runtimeArguments.every((each) => registryType === 'oci' && isContainerVariable(each))) return undefined;
  return {
    label: runner.label,
    fields: [
      ...environmentVariables.flatMap((each) => fieldsOf(each, `env.${each.name}`, { label: each.name })),
      ...runtimeArguments.flatMap((each, index) => argumentFields(each, `runtime.${index}`)),
      ...packageArguments.flatMap((each, index) => argumentFields(each, `argument.${index}`)),
    ],
    define: (values) => {
      const env = resolveAll(environmentVariables, 'env', values);
      return {
        transport: 'stdio',
        command: runner.command,
        args: [
          ...runner.before,
          ...runtimeArguments.flatMap((each, index) => argumentWords(each, `runtime.${index}`, values)),
          // The variables themselves reach docker through its environment.
          ...(registryType === 'oci' ? Object.keys(env).flatMap((name) => ['-e', name]) : []),
          named,
          ...packageArguments.flatMap((each, index) => argumentWords(each, `argument.${index}`, values)),
        ],
        env,
      };
    },
  };
}

/** A list must not set what decides which code runs or where it connects: `npm_config_registry`, `DOCKER_HOST`, `NODE_OPTIONS`. */
function isHarmless({ name, value }: NamedInput): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name) && (value === undefined || !changesProgram(name));
}

/** Such a variable gets only what the user types: the default of the list is merely shown. */
function withoutSteering(given: NamedInput): NamedInput {
  if (!changesProgram(given.name)) return given;
  return { ...given, default: undefined, placeholder: given.placeholder ?? given.default };
}

function isImplied(given: CatalogueArgument, implied: readonly string[]): boolean {
  if (given.type === 'positional') return given.value !== undefined && implied.includes(given.value);
  const isAlone = given.format === 'boolean' || (given.value === undefined && given.default === undefined);
  return isAlone && implied.includes(given.name);
}

/** `-e NAME=value`. Without a value, docker would pass on the hub's own variable. */
function isContainerVariable({ type, value = '', ...given }: CatalogueArgument): boolean {
  if (type !== 'named' || !('name' in given) || (given.name !== '-e' && given.name !== '--env')) return false;
  const name = /^([A-Za-z_]\w*)=/.exec(value)?.[1];
  return name !== undefined && !changesProgram(name);
}

function remoteWay({ type, url, headers, variables }: CatalogueRemote): WayToAdd | undefined {
  if (type !== 'streamable-http' && type !== 'sse') return undefined;
  const address: CatalogueInput & Pick<NamedInput, 'variables'> = { ...fixed(url), variables };
  return {
    label: 'Remote server',
    fields: [
      ...fieldsOf(address, 'url', { label: 'URL' }),
      ...headers.flatMap((each) => fieldsOf(each, `header.${each.name}`, { label: each.name })),
    ],
    define: (values) => ({
      transport: type,
      url: resolve(address, 'url', values) ?? '',
      headers: resolveAll(headers, 'header', values),
    }),
  };
}

function fixed(value: string): CatalogueInput {
  return { value, isRequired: true, isSecret: false, format: 'string' };
}

type TemplateInput = CatalogueInput & { variables?: NamedInput['variables'] };

/** Returns the fields of an input: itself, or the variables of its fixed value. */
function fieldsOf(
  given: TemplateInput,
  key: string,
  { label, isRepeated = false }: { label: string; isRepeated?: boolean },
): CatalogueField[] {
  if (given.value !== undefined) {
    return variablesIn(given).flatMap(([name, variable]) => fieldsOf(variable, `${key}.${name}`, { label: name }));
  }
  return [
    {
      key,
      label,
      isRepeated,
      description: given.description ?? '',
      isNeeded: given.isRequired && given.default === undefined,
      isSecret: given.isSecret,
      format: given.format,
      default: given.default ?? '',
      placeholder: given.placeholder ?? '',
      choices: given.choices ?? [],
    },
  ];
}

function variablesIn({ value = '', variables = {} }: TemplateInput): [string, CatalogueInput][] {
  return Object.entries(variables).filter(([name]) => value.includes(`{${name}}`));
}

function argumentFields(given: CatalogueArgument, key: string): CatalogueField[] {
  if (isFlag(given)) return [];
  const label = given.type === 'named' ? given.name : (given.valueHint ?? 'Argument');
  return fieldsOf(given, key, { label, isRepeated: given.isRepeated });
}

/** A name without a value or anything to ask is always passed, such as `--headless`. */
function isFlag(given: CatalogueArgument): boolean {
  const { value, isRequired, description, choices, placeholder, format } = given;
  const hasQuestion = isRequired || description || choices || placeholder || format !== 'string';
  return given.type === 'named' && value === undefined && given.default === undefined && !hasQuestion;
}

function argumentWords(given: CatalogueArgument, key: string, values: FieldValues): string[] {
  if (given.type === 'named' && isFlag(given)) return [literal(given.name)];
  const value = resolve(given, key, values);
  if (value === undefined) return [];
  const lines = given.isRepeated && given.value === undefined ? value.split('\n').map((line) => line.trim()) : [value];
  return lines
    .filter((line) => line !== '')
    .flatMap((line) => (given.type === 'named' ? flagWords(given, line) : [line]));
}

function flagWords({ name, format }: { name: string; format: CatalogueInput['format'] }, value: string): string[] {
  const flag = literal(name);
  if (format === 'boolean') return value === 'true' ? [flag] : [];
  return flag.startsWith('--') ? [`${flag}=${value}`] : [flag, value];
}

function resolveAll(inputs: readonly NamedInput[], prefix: string, values: FieldValues): Record<string, string> {
  const found = inputs.map((each) => [each.name, resolve(each, `${prefix}.${each.name}`, values)] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Returns the value of an input; undefined if it has none, or if one of its variables has none. */
function resolve(given: TemplateInput, key: string, values: FieldValues): string | undefined {
  const pieces = piecesOf(given, key, values);
  if (pieces === undefined) return undefined;
  // Pieces of the entry are joined before they are escaped, so that two of them cannot make up a reference.
  let text = '';
  let ofEntry = '';
  for (const piece of pieces) {
    if (!piece.isTyped) ofEntry += piece.text;
    else {
      text += literal(ofEntry) + piece.text;
      ofEntry = '';
    }
  }
  return text + literal(ofEntry);
}

interface Piece {
  text: string;
  isTyped: boolean;
}

function piecesOf(given: TemplateInput, key: string, values: FieldValues): Piece[] | undefined {
  if (given.value === undefined) {
    const text = values[key]?.trim();
    if (text) return [{ text, isTyped: true }];
    return given.default === undefined ? undefined : [{ text: given.default, isTyped: false }];
  }
  const variables = new Map(variablesIn(given));
  const pieces: Piece[] = [];
  // Every other part is the name of a possible variable.
  for (const [index, part] of given.value.split(/\{([^{}]+)\}/).entries()) {
    const variable = index % 2 === 1 ? variables.get(part) : undefined;
    const found = variable && piecesOf(variable, `${key}.${part}`, values);
    if (variable && found === undefined) return undefined;
    pieces.push(...(found ?? [{ text: index % 2 === 1 ? `{${part}}` : part, isTyped: false }]));
  }
  return pieces;
}

/** Escapes `${VAR}`: an entry must not read the hub's environment. What the user types may. */
function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}

const probe = 'not-to-be-shown-7331';

/** Tells whether every secret ends up where definitions hide it. In an argument without a telling name, anybody could read it. */
function keepsSecrets(way: WayToAdd): boolean {
  const secrets = way.fields.filter(({ isSecret }) => isSecret);
  if (secrets.length === 0) return true;
  const all = Object.fromEntries(way.fields.map(({ key, isSecret }) => [key, isSecret ? probe : 'x']));
  const definition = ServerDefinition.safeParse(way.define(all));
  return definition.success && !JSON.stringify(maskDefinition(definition.data)).includes(probe);
}

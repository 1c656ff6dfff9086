import { nearest } from '../base/nearest.ts';
import type { SourceProblem } from '../base/source.ts';
import { type Config, knownKeys } from './config.ts';
import { type ProjectPlace, withScripts } from './context-harness/with-scripts.ts';
import { type LookUp, parseToml, type RawConfig, type UnsetEntry, validateConfig } from './read-config.ts';
import { applyTrust, type ConfigTrust } from './trust/config-trust.ts';
import type { FoundPlace } from './trust/held-half.ts';

/** The content of a config file, as far as it applies. */
export interface AppliedConfig {
  config: Config;
  /** The tables that apply, before `${VAR}` is expanded. */
  raw: RawConfig;
  /** The parts of the file that are held until the user trusts them. `config` does not contain them. */
  trust: ConfigTrust;
  /** Warnings that do not stop the hub. */
  problems: readonly SourceProblem[];
  /** What the user should know but need not fix. The command line says each once. */
  notices: readonly string[];
  /** The entries that are disabled because of an unset variable. */
  unset: readonly UnsetEntry[];
}

interface ApplyOptions extends ProjectPlace {
  /** How messages name the file. */
  shown: string;
  lookUp: LookUp;
  /** Where the config was found; undefined if it was named, so that it applies as a whole. */
  place: FoundPlace | undefined;
}

/** Parses a config, adds the scripts of `.ctx` and registries, and applies what is trusted. Throws INVALID_CONFIG. */
export async function applyConfig(text: string, options: ApplyOptions): Promise<AppliedConfig> {
  const { shown, lookUp, place } = options;
  const whole = withScripts(parseToml(text, shown), options);
  const { raw, trust } = await applyTrust(whole.raw, place);
  const { config, warnings, unset } = validateConfig(raw, { text, shown, lookUp });
  const problems: SourceProblem[] = [
    ...[...warnings, ...unknownKeys(config)].map((message) => ({ place: shown, message })),
    ...unset.map(({ path, message }) => ({ ...agentOf(path), place: shown, message })),
  ];
  const notices = [...whole.missing, ...withoutEffect(config)].map((message) => `${shown}: ${message}`);
  return { config, raw, trust, problems, notices, unset };
}

function agentOf([section, ...path]: readonly string[]): { agentId?: string } {
  const id = path.at(-1);
  return section === 'agents' && id !== undefined ? { agentId: id.slice(0, 80) } : {};
}

/** Settings of Context Harness that have no effect here, with the reason. Those that it ignores itself get no sentence. */
function withoutEffect(config: Config): string[] {
  if (config.vector_index === undefined) return [];
  return ['[vector_index] has no effect: the index of Agent Zoo is built in, and every search by meaning uses it.'];
}

/** Returns a message for each unknown section or key, which may be a typing mistake or a newer setting. */
export function unknownKeys(config: Config): string[] {
  const sections = unknown(Object.keys(config), knownKeys.root).map(
    ({ name, hint }) => `Unknown section [${name}] was ignored.${hint('[', ']')}`,
  );
  const keys = Object.entries(knownKeys.sections).flatMap(([section, known]) =>
    unknown(Object.keys(Object(config[section])), known).map(
      ({ name, hint }) => `Unknown key "${name}" in [${section}] was ignored.${hint('"', '"')}`,
    ),
  );
  return [...sections, ...keys];
}

function unknown(names: readonly string[], known: readonly string[]) {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return {
        name: name.slice(0, 80),
        hint: (open: string, close: string) => (near === undefined ? '' : ` Did you mean ${open}${near}${close}?`),
      };
    });
}

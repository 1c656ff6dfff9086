import { isRecord } from '../base/is-record.ts';
import type { ConfiguredServer, ConfiguredServers, ServerConfig } from '../servers/server-specs.ts';
import type { ConfigDocument, ConfigVersion } from './config-document.ts';
import { lineOfKey } from './line-of-key.ts';
import { resolvePath } from './load-config.ts';
import { serverTables } from './read-config.ts';

/** Reads all `[mcp_servers.NAME]` sections, before `${VAR}` is expanded. */
export function serverSections(document: ConfigDocument): ServerConfig {
  let last: { version: ConfigVersion; servers: ConfiguredServers } | undefined;
  const toServers = (version: ConfigVersion): ConfiguredServers => {
    if (last?.version !== version) last = { version, servers: read(document, version) };
    return last.servers;
  };
  return {
    current() {
      const version = document.current();
      return version instanceof Promise ? version.then(toServers) : toServers(version);
    },
    watch: (onChange) => document.watch(onChange),
  };
}

function read({ loaded }: ConfigDocument, { text, shown, raw: whole }: ConfigVersion): ConfiguredServers {
  if (serverTables.every((key) => whole[key] === undefined)) return { servers: [] };
  const servers: ConfiguredServer[] = [];
  const problems: { place: string; message: string }[] = [];
  for (const key of serverTables) {
    const table = whole[key];
    if (!isRecord(table)) continue;
    for (const [name, raw] of Object.entries(table)) {
      const definedIn = `${shown} [${key}.${name.slice(0, 80)}]`;
      if (!isRecord(raw)) {
        problems.push({ place: shown, message: `${definedIn}: expected a table with "command" or "url".` });
      } else if (servers.some((each) => each.name === name)) {
        problems.push({
          place: shown,
          message: `${definedIn}: [mcp_servers.${name}] defines the same server. This section is ignored.`,
        });
      } else {
        const lines = linesOf(text, [key, name], raw);
        servers.push({ name, definedIn, raw: withFolder(raw, loaded), file: shown, lines });
      }
    }
  }
  return { servers, problems };
}

function linesOf(text: string, section: readonly string[], raw: Record<string, unknown>): Record<string, number> {
  const lines = ['', ...Object.keys(raw)].flatMap((key) => {
    const line = lineOfKey(text, key === '' ? section : [...section, key]);
    return line === undefined ? [] : [[key, line]];
  });
  return Object.fromEntries(lines);
}

/** Runs a server in the folder of the config, wherever the hub was started. */
function withFolder(raw: Record<string, unknown>, loaded: ConfigDocument['loaded']): Record<string, unknown> {
  if (raw.command === undefined) return raw;
  if (raw.cwd === undefined) return { ...raw, cwd: loaded.folder };
  return typeof raw.cwd === 'string' && !raw.cwd.includes('${') ? { ...raw, cwd: resolvePath(loaded, raw.cwd) } : raw;
}

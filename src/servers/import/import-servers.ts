import { HubError } from '../../base/hub-error.ts';
import { type ExternalServers, nameTaken } from '../external-servers.ts';
import { maskDefinition } from '../mask-secrets.ts';
import type { ImportedServers } from '../servers.contract.ts';
import { type ClientConfig, readClientConfig, readClientDocument } from './read-client-config.ts';

/** Adds the servers of another client's config, one by one: a server that cannot be added becomes a problem. Secrets in the reply are masked. */
export async function importServers(
  servers: Pick<ExternalServers, 'add' | 'list'>,
  text: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<ImportedServers> {
  const read = await readText(text);
  const problems = [...read.problems];
  const added: string[] = [];
  const taken = new Map(servers.list().map((server) => [server.name, server.place]));
  for (const { name, definition } of read.servers) {
    const definedIn = taken.get(name);
    if (definedIn !== undefined) problems.push({ name, message: nameTaken(name, definedIn) });
    if (dryRun || definedIn !== undefined) continue;
    try {
      await servers.add(name, definition);
      added.push(name);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      problems.push({ name, message: error.message });
    }
  }
  const masked = read.servers.map(({ name, definition }) => ({ name, definition: maskDefinition(definition) }));
  return { servers: masked, problems, added };
}

/** Codex writes TOML. Every other client writes JSON, which starts with a brace, a quote or a comment. */
async function readText(text: string): Promise<ClientConfig> {
  if (!/^\ufeff?\s*(?:[#[]|[A-Za-z_][\w.-]*\s*=)/.test(text)) return readClientConfig(text);
  const { parse, TomlError } = await import('smol-toml');
  try {
    return readClientDocument(parse(text, { unsafeKeyBehaviour: 'throw', maxDepth: 64 }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const rule = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    return { servers: [], problems: [{ name: '', message: `Line ${error.line} is not valid TOML: ${rule}` }] };
  }
}

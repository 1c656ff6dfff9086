import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { SuggestAgent, WorkspaceStore } from '../agents/workspaces.ts';
import { isRecord } from '../base/is-record.ts';
import { isInside, realPath } from '../base/real-path.ts';
import type { SourceProblem } from '../base/source.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { showPath } from '../config/load-config.ts';
import { parseToml } from '../config/read-config.ts';
import { clientOf, type ToolClient, type ToolConnection } from '../tools/tool-client.ts';

interface SuggestParts {
  agents: AgentRegistry;
  store: { readonly workspaces: WorkspaceStore };
  document: ConfigDocument;
}

/** The default agent of a folder, and where it is set. */
export interface DefaultAgent {
  agentId: string;
  from: 'remembered' | 'zoo.toml' | 'config';
}

/** A client that says it has roots replies at once; one that does not must not hold up the list. */
const rootsMs = 2_000;
const maxRoots = 20;
const maxConfigBytes = 1024 * 1024;

/**
 * Finds the agent for the folder that a client works in. A folder's own choice wins, then the nearest folder above it, then the
 * `[workspace]` section of its zoo.toml, then that of the hub's config. An agent that does not exist is never suggested.
 */
export function agentSuggestions({ agents, store, document }: SuggestParts) {
  /** Clients that did not reply are not asked again. */
  const silent = new WeakSet<ToolConnection>();
  const { cwd } = document.loaded;
  let workingFolder: string | undefined;

  const suggest: SuggestAgent = async (client, signal) => {
    const roots = await rootsOf(client, signal);
    for (const root of roots) {
      const found = await ofFolder(root);
      if (found) return found.agentId;
    }
    workingFolder ??= realPath(cwd);
    return (await remembered(workingFolder)) ?? (await configured());
  };

  async function defaultAgent(folder: string): Promise<DefaultAgent | undefined> {
    const own = await ofFolder(folder);
    if (own) return own;
    const agentId = await configured();
    return agentId === undefined ? undefined : { agentId, from: 'config' };
  }

  async function ofFolder(folder: string): Promise<DefaultAgent | undefined> {
    const chosen = await remembered(folder);
    if (chosen !== undefined) return { agentId: chosen, from: 'remembered' };
    const agentId = await namedInFile(folder);
    return agentId !== undefined && isAgent(agentId) ? { agentId, from: 'zoo.toml' } : undefined;
  }

  /** Returns the choice for the folder or the nearest one above it. */
  async function remembered(folder: string): Promise<string | undefined> {
    const known = (await store.workspaces.list()).filter(
      (each) => isInside(folder, each.folder) && isAgent(each.agentId),
    );
    return known.toSorted((left, right) => right.folder.length - left.folder.length)[0]?.agentId;
  }

  async function configured(): Promise<string | undefined> {
    const agentId = await configuredAgent();
    return agentId !== undefined && isAgent(agentId) ? agentId : undefined;
  }

  function isAgent(id: string): boolean {
    return agents.find(id) !== undefined;
  }

  async function configuredAgent(): Promise<string | undefined> {
    return (await document.current()).config.workspace.agent;
  }

  async function rootsOf(client: ToolClient, signal: AbortSignal): Promise<string[]> {
    if (!clientOf(client) || (client.connection && silent.has(client.connection))) return [];
    const limit = AbortSignal.timeout(rootsMs);
    try {
      const { roots } = await client.roots({ key: 'roots', signal: AbortSignal.any([signal, limit]) });
      return (Array.isArray(roots) ? roots.slice(0, maxRoots) : []).flatMap(toFolder);
    } catch {
      // Most clients have no roots, or do not say.
      if (limit.aborted && client.connection) silent.add(client.connection);
      return [];
    }
  }

  return {
    suggest,
    defaultAgent,
    configuredAgent,
    /** Reports a `[workspace] agent` that does not exist, as of the last reading of the config. */
    problems(): SourceProblem[] {
      const version = document.current();
      const { file, config } = document.loaded;
      const { agent } = version instanceof Promise ? config.workspace : version.config.workspace;
      if (agent === undefined || file === null || isAgent(agent)) return [];
      const place = showPath(file, cwd);
      const message = `${place}: [workspace] agent = ${JSON.stringify(agent.slice(0, 80))}: there is no such agent.`;
      return [{ place, message }];
    },
  };
}

function toFolder(root: unknown): string[] {
  const uri = typeof root === 'object' && root !== null && 'uri' in root ? root.uri : undefined;
  if (typeof uri !== 'string' || !uri.startsWith('file://')) return [];
  try {
    return [realPath(fileURLToPath(uri))];
  } catch {
    return [];
  }
}

/** Reads only this one setting, which names an agent. Nothing else in the file applies. */
async function namedInFile(folder: string): Promise<string | undefined> {
  const file = join(folder, 'zoo.toml');
  try {
    // A clone may contain a link to a device, and reading a pipe never ends.
    const found = await stat(file);
    if (!found.isFile() || found.size > maxConfigBytes) return undefined;
    const { workspace } = parseToml(await readFile(file, 'utf8'), file);
    return isRecord(workspace) && typeof workspace.agent === 'string' ? workspace.agent : undefined;
  } catch {
    return undefined;
  }
}

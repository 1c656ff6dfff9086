import { HubError } from '../base/hub-error.ts';
import type { CliContext } from '../cli/terminal/context.ts';
import type { NamedFile } from '../config/script-sections.ts';
import { findAgent, type KnownAgents } from './find-agent.cli.ts';

/** An agent that a command names by its id, or by its file or folder. */
export interface NamedAgent {
  id: string;
  /** Set if the user named a file, which makes it trusted. The hub reads and watches it. */
  file: NamedFile | undefined;
}

/** Reads a named file before the hub opens, to report an error at once. Throws INVALID_CONFIG. */
export async function namedAgent(context: CliContext, name: string): Promise<NamedAgent> {
  if (!isFile(name)) return { id: name, file: undefined };
  const { readAgentFile } = await import('../config/agents/agent-files.ts');
  const { agent, path, definedIn } = await readAgentFile(name, { cwd: context.cwd });
  return { id: agent.id, file: { name: agent.id, path, shown: definedIn } };
}

/** Throws AGENT_NOT_FOUND, and CONFLICT if another agent has the id of the named file. */
export async function checkNamed(hub: KnownAgents, { id, file }: NamedAgent): Promise<void> {
  const { definedIn } = await findAgent(hub, id);
  if (!file || definedIn === file.shown) return;
  const message = `Two agents have the id "${id}": one from ${definedIn}, one from ${file.shown}. The first is used; rename one of them.`;
  throw new HubError('CONFLICT', message);
}

/** Ids contain no dots or slashes, so a name with one is a file. */
function isFile(name: string): boolean {
  return /[./\\]/.test(name);
}

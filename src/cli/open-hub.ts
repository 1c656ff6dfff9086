import type { KnownAgents } from '../agents/find-agent.cli.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { NamedFile } from '../config/script-sections.ts';
import type { Hub } from '../hub.ts';
import type { CliLogger } from './logger.ts';
import { newNotices } from './notices.ts';
import { recordTrust } from './record-command.ts';
import { isTerminal } from './terminal/ask.ts';
import type { CliContext } from './terminal/context.ts';
import { printableLine } from './terminal/text-width.ts';

export interface ConfigOption {
  config?: string | undefined;
}

export interface LoadOptions extends ConfigOption {
  /** False for commands whose input does not come from the user, so they must not ask. */
  canAsk?: boolean;
}

/** Loads the config. On a terminal, asks once about a found config that is not trusted; without trust, its held parts do not apply. */
export async function loadCliConfig(context: CliContext, options: LoadOptions): Promise<LoadedConfig> {
  const { cwd, env, home } = context;
  const search = { explicitFile: options.config, cwd, env, home };
  const loaded = await loadConfig(search);
  const isHeld = loaded.trust.held.length > 0 || loaded.trust.gone.length > 0;
  if (!isHeld || options.canAsk === false || !isTerminal(context)) return loaded;
  const { askForTrust } = await import('../config/trust/trust.cli.ts');
  if (!(await askForTrust(context, loaded))) return loaded;
  const trusted = await loadConfig(search);
  await recordTrust(context, trusted);
  return trusted;
}

export async function openHub(
  context: CliContext,
  options: LoadOptions & { watch: boolean; logger?: CliLogger; agentFiles?: readonly NamedFile[] },
): Promise<Hub> {
  const [config, { createHub }] = await Promise.all([loadCliConfig(context, options), import('../hub.ts')]);
  options.logger?.hide(config.secrets);
  const { watch, logger, agentFiles = [] } = options;
  return createHub({ config, watch, agentFiles, ...(logger && { logger }) });
}

/** Opens the hub, runs a command, prints problems and closes the hub. */
export async function withHub<T>(
  context: CliContext,
  options: LoadOptions & { quiet?: boolean; logger?: CliLogger },
  run: (hub: Hub) => Promise<T>,
): Promise<T> {
  const hub = await openHub(context, { ...options, watch: false });
  try {
    const result = await run(hub);
    if (!options.quiet) printProblems(context, hub);
    return result;
  } catch (error) {
    // The command may have failed because a part of the config is held.
    if (options.canAsk !== false) for (const problem of hub.heldProblems()) printProblem(context, problem);
    throw error;
  } finally {
    await hub.close();
  }
}

/** Prints the problems, and what the user should know about the config, once. */
export function printProblems(context: CliContext, hub: Hub): void {
  for (const notice of newNotices(hub.config)) context.stderr.write(`zoo: ${printableLine(notice)}\n`);
  for (const problem of hub.problems()) printProblem(context, problem);
}

function printProblem(context: CliContext, problem: SourceProblem): void {
  context.stderr.write(`zoo: ${problemLine(problem)}\n`);
}

/** Formats a problem. Adds its location if the message does not name it. */
export function problemLine({ place, message }: { place: string; message: string }): string {
  return printableLine(message.includes(place) ? message : `${place}: ${message}`);
}

/** Logs each problem when it appears and when it is fixed. */
export function watchProblems({ agents, problems }: KnownAgents, logger: Logger): () => void {
  let known = byMessage(problems());
  return agents.changes.on(() => {
    const now = byMessage(problems());
    for (const [message, place] of now) if (!known.has(message)) logger.warn({ place }, message);
    for (const [message, place] of known) if (!now.has(message)) logger.info({ place }, `fixed: ${message}`);
    known = now;
  });
}

function byMessage(problems: readonly SourceProblem[]): Map<string, string> {
  return new Map(problems.map(({ message, place }) => [message, place]));
}

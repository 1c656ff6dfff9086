import type { KnownAgents } from '../agents/find-agent.cli.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { NamedFile } from '../config/script-sections.ts';
import type { Act, RecordsActs } from '../decisions/record-act.ts';
import type { Hub } from '../hub.ts';
import type { CliLogger } from './logger.ts';
import type { CliContext } from './terminal/context.ts';
import { printableLine } from './terminal/text-width.ts';

export interface ConfigOption {
  config?: string | undefined;
}

export function loadCliConfig(context: CliContext, options: ConfigOption): Promise<LoadedConfig> {
  const { cwd, env, home } = context;
  return loadConfig({ explicitFile: options.config, cwd, env, home });
}

export async function openHub(
  context: CliContext,
  options: ConfigOption & { watch: boolean; logger?: CliLogger; agentFiles?: readonly NamedFile[] },
): Promise<Hub> {
  const [config, { createHub }] = await Promise.all([loadCliConfig(context, options), import('../hub.ts')]);
  options.logger?.hide(config.secrets);
  const { watch, logger, agentFiles = [] } = options;
  return createHub({ config, watch, agentFiles, ...(logger && { logger }) });
}

/** Opens the hub, runs a command, prints problems and closes the hub. */
export async function withHub<T>(
  context: CliContext,
  options: ConfigOption & { quiet?: boolean; logger?: CliLogger },
  run: (hub: Hub) => Promise<T>,
): Promise<T> {
  const hub = await openHub(context, { ...options, watch: false });
  try {
    const result = await run(hub);
    if (!options.quiet) printProblems(context, hub);
    return result;
  } finally {
    await hub.close();
  }
}

/** Logs what a command administered. `command` is how a person would call it: `zoo agent delete`. */
export function recordCommand(
  { recordAct }: RecordsActs,
  command: string,
  act: Omit<Act, 'surface' | 'act' | 'by'>,
): Promise<void> {
  return recordAct({ surface: 'cli', act: command, ...act });
}

export function printProblems(context: CliContext, hub: Hub): void {
  for (const problem of hub.problems()) context.stderr.write(`zoo: ${problemLine(problem)}\n`);
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

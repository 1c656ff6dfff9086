import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Agent } from '../../agents/agent.ts';
import type { AgentEntry, AgentSource } from '../../agents/agent-source.ts';
import { type CodeAgentDefinition, defineAgent } from '../../agents/define-agent.ts';
import { parsePrompt } from '../../agents/parse-prompt.ts';
import { untilAborted } from '../../base/abort.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { parseWith } from '../../base/validate.ts';
import { workerUrl } from '../../base/worker-url.ts';
import { isTable, type ScriptSection, type WatchedSections } from '../script-sections.ts';
import { sectionFiles } from '../section-files.ts';

/**
 * Numbers every import. An address made from the text would be wrong for good when the file changed between reading it and
 * importing it: Node would keep the later text under the address of the earlier one.
 */
let imports = 0;

/**
 * `[agents.code.NAME]`: files of TypeScript or JavaScript whose default export is an agent. A changed file is imported
 * again under a new address; Node keeps every version it has imported, and does not look again at what a file imports.
 */
export function codeAgentSource({ sections, logger }: { sections: WatchedSections; logger: Logger }): AgentSource {
  const files = sectionFiles<AgentEntry>({
    sections,
    async load(section, { modifiedAt }) {
      imports += 1;
      const module = await importFile(section, `${pathToFileURL(section.path).href}?v=${imports}`, logger);
      return { ...toEntry(section, module, logger), place: section.shown, updatedAt: Math.trunc(modifiedAt) };
    },
  });
  return { kind: 'code', ...files };
}

async function importFile(section: ScriptSection, url: string, logger: Logger): Promise<unknown> {
  try {
    return await withOwnPackage(() => import(url));
  } catch (error) {
    logger.debug({ err: error, file: section.shown }, 'a file of code could not be loaded');
    throw new HubError('AGENT_ERROR', `${at(section, error)}: ${messageOf(error)}`, { cause: error });
  }
}

function toEntry(section: ScriptSection, module: unknown, logger: Logger): Omit<AgentEntry, 'place'> {
  const exported = isTable(module) ? module.default : undefined;
  if (!isTable(exported)) {
    throw new HubError(
      'AGENT_ERROR',
      `${section.shown}: the default export must be an agent: "export default { description, tools, resolve(args, context) {…} }".`,
    );
  }
  const entry = isTable(exported.agent) ? fromEntry(section, exported) : fromDefinition(section, exported);
  const { resolve } = entry;
  const agent = Object.freeze(entry.agent);
  if (!resolve) return { agent };
  return {
    agent,
    async resolve(args, context) {
      const deadline = AbortSignal.timeout(section.timeoutMs);
      const signal = AbortSignal.any([context.signal, deadline]);
      try {
        const prompt = await untilAborted(signal, async () =>
          resolve(args, { ...context, signal, config: section.config }),
        );
        // As with `defineAgent`, a prompt may go without a system text.
        return parsePrompt(agent, isTable(prompt) ? { ...prompt, system: prompt.system ?? '' } : prompt, section.shown);
      } catch (error) {
        if (error instanceof HubError) throw error;
        if (context.signal.aborted) throw new HubError('CANCELLED', `The prompt of "${section.name}" was cancelled.`);
        if (deadline.aborted) throw tooSlow(section);
        logger.error({ err: error, agent: section.name }, 'the code of an agent failed');
        const where = at(section, error);
        throw new HubError('AGENT_ERROR', `Agent "${section.name}" failed: ${where}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
  };
}

/** What `defineAgent` made, perhaps of another copy of this package. */
function fromEntry(section: ScriptSection, { agent, resolve }: Record<string, unknown>): Omit<AgentEntry, 'place'> {
  const checked = parseWith(Agent, agent, { code: 'AGENT_ERROR', what: section.shown });
  refuseOtherName(section, checked.id);
  return { agent: checked, ...(isFunction(resolve) && { resolve }) };
}

function fromDefinition(section: ScriptSection, exported: Record<string, unknown>): Omit<AgentEntry, 'place'> {
  const { name = section.name, resolve, ...rest } = exported;
  refuseOtherName(section, name);
  if (resolve !== undefined && !isFunction(resolve)) {
    throw new HubError('AGENT_ERROR', `${section.shown}: resolve: must be a function.`);
  }
  try {
    // `defineAgent` checks every field; `resolve` stays outside, because its answer is checked here.
    const { agent } = defineAgent({ ...rest, name: section.name } as CodeAgentDefinition);
    return { agent, ...(resolve && { resolve: resolve.bind(exported) }) };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError('AGENT_ERROR', `${section.shown}: ${error.message}`, { cause: error });
  }
}

function refuseOtherName({ shown, section, name }: ScriptSection, given: unknown): void {
  if (given === name) return;
  const shownName = typeof given === 'string' ? `"${given.slice(0, 80)}"` : `a ${typeof given}`;
  throw new HubError(
    'AGENT_ERROR',
    `${shown}: the agent is called ${shownName}, and its section [${section}]. Use one name; "title" is for people.`,
  );
}

function isFunction(value: unknown): value is NonNullable<AgentEntry['resolve']> {
  return typeof value === 'function';
}

function tooSlow({ name, shown, timeoutMs, section }: ScriptSection): HubError {
  return new HubError(
    'TIMEOUT',
    `Agent "${name}" (${shown}) took longer than ${timeoutMs / 1_000} s; "timeout" in [${section}] sets the limit.`,
  );
}

function at({ shown, path }: ScriptSection, error: unknown): string {
  const line = lineInFile(error, pathToFileURL(path).href);
  return line === undefined ? shown : `${shown}:${line}`;
}

/** The first line; a stack is for the log. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').slice(0, 300);
}

/** The line of an error in one module, as V8 tells it in the stack: of the throw, or of what cannot be parsed. */
function lineInFile(error: unknown, url: string): number | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  if (!stack) return undefined;
  const start = stack.indexOf(url);
  if (start === -1) return undefined;
  const line = /^(?:\?v=[0-9a-f]+)?:(\d+)/.exec(stack.slice(start + url.length))?.[1];
  return line === undefined ? undefined : Number(line);
}

/**
 * While it runs, imported files may ask for this package by its name. A project that has it installed gets its own copy; anywhere
 * else, where the command came from elsewhere, the one that runs serves.
 */
async function withOwnPackage<T>(run: () => Promise<T>): Promise<T> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        const found = next(specifier, context);
        // Its entry would read the library at once, while this process may be waiting for a part of it.
        return found.url === workerUrl('entry').href ? { ...found, url: workerUrl('index').href } : found;
      } catch (error) {
        if (specifier !== 'agent-zoo' || !isNotFound(error)) throw error;
        return { url: workerUrl('index').href, shortCircuit: true };
      }
    },
  });
  try {
    return await run();
  } finally {
    hooks.deregister();
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

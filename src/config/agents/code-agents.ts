import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Agent } from '../../agents/agent.ts';
import type { AgentEntry, AgentSource } from '../../agents/agent-source.ts';
import { type CodeAgentDefinition, defineAgent } from '../../agents/define-agent.ts';
import { parsePrompt } from '../../agents/parse-prompt.ts';
import { untilAborted } from '../../base/abort.ts';
import { HubError } from '../../base/hub-error.ts';
import { isRecord } from '../../base/is-record.ts';
import type { Logger } from '../../base/logger.ts';
import { parseWith } from '../../base/validate.ts';
import { workerUrl } from '../../base/worker-url.ts';
import type { ScriptSection, WatchedSections } from '../script-sections.ts';
import { sectionFiles } from '../section-files.ts';

/**
 * Numbers each import. A URL derived from the text would be wrong if the file changed between reading and importing: Node would
 * cache the new code under the URL of the old text.
 */
let imports = 0;

/**
 * `[agents.code.NAME]`: TypeScript or JavaScript files whose default export is an agent. A changed file is imported again under a
 * new URL. Node keeps all imported versions, and does not reload the modules that a file imports.
 */
export function codeAgentSource({ sections, logger }: { sections: WatchedSections; logger: Logger }): AgentSource {
  const files = sectionFiles<AgentEntry>({
    sections,
    async load(section, { modifiedAt }) {
      imports += 1;
      const module = await importFile(section, `${pathToFileURL(section.path).href}?v=${imports}`, logger);
      return { ...toEntry(section, module, logger), definedIn: section.shown, updatedAt: Math.trunc(modifiedAt) };
    },
  });
  return { kind: 'code', ...files };
}

async function importFile(section: ScriptSection, url: string, logger: Logger): Promise<unknown> {
  try {
    return await withOwnPackage(() => import(url));
  } catch (error) {
    logger.debug({ err: error, file: section.shown }, 'code agent could not be loaded');
    throw new HubError('AGENT_ERROR', `${at(section, error)}: ${messageOf(error)}`, { cause: error });
  }
}

function toEntry(section: ScriptSection, module: unknown, logger: Logger): Omit<AgentEntry, 'definedIn'> {
  const exported = isRecord(module) ? module.default : undefined;
  if (!isRecord(exported)) {
    throw new HubError(
      'AGENT_ERROR',
      `${section.shown}: the default export must be an agent: "export default { description, tools, resolve(args, context) {…} }".`,
    );
  }
  const entry = isRecord(exported.agent) ? fromEntry(section, exported) : fromDefinition(section, exported);
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
        // As with `defineAgent`, the system text is optional.
        return parsePrompt(
          agent,
          isRecord(prompt) ? { ...prompt, system: prompt.system ?? '' } : prompt,
          section.shown,
        );
      } catch (error) {
        if (error instanceof HubError) throw error;
        if (context.signal.aborted) throw new HubError('CANCELLED', `The prompt of "${section.name}" was cancelled.`);
        if (deadline.aborted) throw tooSlow(section);
        logger.error({ err: error, agent: section.name }, 'code agent failed');
        const where = at(section, error);
        throw new HubError('AGENT_ERROR', `Agent "${section.name}" failed: ${where}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
  };
}

/** Reads the result of `defineAgent`, which may come from another copy of this package. */
function fromEntry(section: ScriptSection, { agent, resolve }: Record<string, unknown>): Omit<AgentEntry, 'definedIn'> {
  const checked = parseWith(Agent, agent, { code: 'AGENT_ERROR', what: section.shown });
  refuseOtherName(section, checked.id);
  return { agent: checked, ...(isFunction(resolve) && { resolve }) };
}

function fromDefinition(section: ScriptSection, exported: Record<string, unknown>): Omit<AgentEntry, 'definedIn'> {
  const { name = section.name, resolve, ...rest } = exported;
  refuseOtherName(section, name);
  if (resolve !== undefined && !isFunction(resolve)) {
    throw new HubError('AGENT_ERROR', `${section.shown}: resolve: must be a function.`);
  }
  try {
    // `defineAgent` validates all fields except `resolve`, whose result is validated here.
    const { agent } = defineAgent({ ...rest, name: section.name } as CodeAgentDefinition);
    return { agent, ...(resolve && { resolve: resolve.bind(exported) }) };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError('AGENT_ERROR', `${section.shown}: ${error.message}`, { cause: error });
  }
}

function refuseOtherName({ shown, section, name }: ScriptSection, actualName: unknown): void {
  if (actualName === name) return;
  const shownName = typeof actualName === 'string' ? `"${actualName.slice(0, 80)}"` : `a ${typeof actualName}`;
  throw new HubError(
    'AGENT_ERROR',
    `${shown}: the agent is named ${shownName}, but its section is [${section}]. Use the same name; "title" is the display name.`,
  );
}

function isFunction(value: unknown): value is NonNullable<AgentEntry['resolve']> {
  return typeof value === 'function';
}

function tooSlow({ name, shown, timeoutMs, section }: ScriptSection): HubError {
  return new HubError(
    'TIMEOUT',
    `Agent "${name}" (${shown}) took longer than ${timeoutMs / 1_000} s. To allow more time, raise "timeout" in [${section}].`,
  );
}

function at({ shown, path }: ScriptSection, error: unknown): string {
  const line = lineInFile(error, pathToFileURL(path).href);
  return line === undefined ? shown : `${shown}:${line}`;
}

/** Returns the first line of a message. The log has the stack. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').slice(0, 300);
}

/** Finds the line of an error in a module: where it was thrown, or where parsing failed. */
function lineInFile(error: unknown, url: string): number | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  if (!stack) return undefined;
  const start = stack.indexOf(url);
  if (start === -1) return undefined;
  const line = /^(?:\?v=[0-9a-f]+)?:(\d+)/.exec(stack.slice(start + url.length))?.[1];
  return line === undefined ? undefined : Number(line);
}

/**
 * Lets imported files import `agent-zoo` by name while `run` is running. A project with the package installed gets its own copy;
 * otherwise, the running package is used.
 */
async function withOwnPackage<T>(run: () => Promise<T>): Promise<T> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        const found = next(specifier, context);
        // Skips the package entry, which would load the whole library while this process may be waiting for a part of it.
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

import { searchFrom } from '../config/find-config.ts';
import type { McpOptions } from './mcp.ts';
import { type CliContext, processContext } from './terminal/context.ts';
import { reportError } from './terminal/report-error.ts';

/** Runs the command `zoo` and returns its exit code. Decides which code to load before it loads anything heavy. */
export async function main(argv: readonly string[], context = processContext()): Promise<number> {
  const args = argv.slice(2);
  try {
    const mcpOptions = readMcpOptions(args);
    if (mcpOptions) {
      await mcp(context, mcpOptions);
    } else {
      const { runProgram } = await import('./program.ts');
      await runProgram(context, args);
    }
  } catch (error) {
    context.exitCode = reportError(context, error);
  }
  await context.logged;
  return context.exitCode;
}

/** Serves MCP. Replies to the client's first messages before the hub is loaded, if cached replies are still valid. */
async function mcp(context: CliContext, options: McpOptions): Promise<void> {
  const { agent, member } = options;
  const request = { ...searchFrom(context, options), explicitFile: options.config, agent, member };
  // In a checkout, any file may have changed, so cached replies are not used.
  const isBuilt = import.meta.url.endsWith('.js');
  const greeted = isBuilt ? await (await import('./mcp-front.ts')).greet(context, request) : undefined;
  const { serveMcp } = await import('./mcp.ts');
  await serveMcp(context, options, isBuilt ? { request, greeted } : undefined);
}

/**
 * Parses the common forms of `zoo mcp` without the command-line library, because MCP clients wait for this command to start.
 * Returns undefined for everything else, including mistakes and --help.
 */
function readMcpOptions(args: readonly string[]): McpOptions | undefined {
  if (args[0] !== 'mcp') return undefined;
  const options: McpOptions = {};
  for (let index = 1; index < args.length; index += 1) {
    const [, name, inline] = /^--([a-z-]+)(?:=(.+))?$/.exec(args[index] ?? '') ?? [];
    if (name === 'log-json' && inline === undefined) {
      options.logJson = true;
    } else if (name !== undefined && isTextOption(name)) {
      if (inline === undefined) index += 1;
      const value = inline ?? args[index];
      if (value === undefined || value === '' || value.startsWith('-')) return undefined;
      options[name] = value;
    } else {
      return undefined;
    }
  }
  return options;
}

const textOptions = ['agent', 'member', 'config', 'home', 'folder'] as const;

function isTextOption(name: string): name is (typeof textOptions)[number] {
  return textOptions.some((each) => each === name);
}

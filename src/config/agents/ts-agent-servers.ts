import { z } from 'zod';

/** The external servers of a TsAgent file, with the rules for their tools. */

const include = z.enum(['always', 'agent', 'manual']).nullish();

const ToolConfig = z.looseObject({ permissionRequired: z.boolean().nullish(), include });
type ToolConfig = Partial<z.infer<typeof ToolConfig>>;

/** Our tool rules are globs, so a name with glob characters would affect more tools than the file names. */
const notOneName =
  'must be the name of one tool, without "*" or a leading "!". Use the settings of the server to apply a rule to all its tools';

function isOneName(name: string): boolean {
  return !name.includes('*') && !name.startsWith('!');
}

export const TsServer = z
  .looseObject({
    serverToolDefaults: ToolConfig.nullish(),
    tools: z.record(z.string(), ToolConfig).nullish(),
    toolPermissionRequired: z
      .looseObject({ serverDefault: z.boolean().nullish(), tools: z.record(z.string(), z.boolean()).nullish() })
      .nullish(),
    toolInclude: z.looseObject({ serverDefault: include, tools: z.record(z.string(), include).nullish() }).nullish(),
  })
  .superRefine((server, context) => {
    const { command, tools, toolPermissionRequired, toolInclude } = server;
    // Other clients use an object here.
    if (typeof command === 'object' && command !== null && !Array.isArray(command))
      context.addIssue({ code: 'custom', path: ['command'], message: 'must be a string: the program to start' });
    const named = {
      tools,
      'toolPermissionRequired.tools': toolPermissionRequired?.tools,
      'toolInclude.tools': toolInclude?.tools,
    };
    for (const [place, names] of Object.entries(named))
      for (const name of Object.keys(names ?? {}).filter((each) => !isOneName(each)))
        context.addIssue({ code: 'custom', path: [...place.split('.'), name], message: notOneName });
    if (!server.serverToolDefaults && !server.tools) return;
    for (const key of ['toolPermissionRequired', 'toolInclude'] as const) {
      const message = 'is the older form of serverToolDefaults and tools, but the file has both. Remove one of them';
      if (server[key]) context.addIssue({ code: 'custom', path: [key], message });
    }
  });
export type TsServer = z.infer<typeof TsServer>;

/** Whether a server runs inside TsAgent, to change rules, references and tools, or to watch other agents. */
export function isInternal({ type, tool, command, url }: TsServer): boolean {
  return (
    type === 'internal' || (type === undefined && tool !== undefined && command === undefined && url === undefined)
  );
}

/** Settings of other clients and of our config that skip approval. TsAgent has none of them. */
const approvalSkippingKeys = ['autoApprove', 'alwaysAllow', 'trust', 'approve'];

export function approvalSkippingKeysOf(server: TsServer): string[] {
  return approvalSkippingKeys.filter((key) => server[key] !== undefined);
}

/** Returns the servers of the file in the format of other clients, with the rules for their tools. */
export function serversOf({
  mcpServers,
}: {
  mcpServers?: Readonly<Record<string, TsServer>> | null | undefined;
}): Record<string, Record<string, unknown>> {
  const real = Object.entries(mcpServers ?? {}).filter(([, server]) => !isInternal(server));
  return Object.fromEntries(
    real.map(([name, server]) => {
      const {
        tools: _,
        serverToolDefaults: __,
        toolPermissionRequired,
        toolInclude,
        toolEmbeddings,
        type,
        ...rest
      } = server;
      const kind = type === 'streamable' ? 'streamable-http' : type;
      const safeSettings = Object.fromEntries(
        Object.entries(rest).filter(([key]) => !approvalSkippingKeys.includes(key)),
      );
      return [
        name,
        { ...safeSettings, ...(kind !== undefined && kind !== null && { type: kind }), ...rulesOf(server) },
      ];
    }),
  );
}

interface ToolRules {
  approve: string[];
  include?: string[];
  exclude?: string[];
}

/**
 * Returns the approval rules and the available tools. TsAgent requires approval for all tools unless the file says otherwise,
 * whatever the tool's annotations say. A tool with `include: manual` is unavailable until the user adds it.
 */
function rulesOf(server: TsServer): ToolRules {
  const { defaults, tools } = toolConfig(server);
  const named = Object.entries(tools);
  const approve =
    (defaults.permissionRequired ?? true)
      ? ['*', ...named.filter(([, tool]) => tool.permissionRequired === false).map(([name]) => `!${name}`)]
      : named.filter(([, tool]) => tool.permissionRequired === true).map(([name]) => name);
  const namesWith = (isWanted: (include: ToolConfig['include']) => boolean) =>
    named.filter(([, { include }]) => isWanted(include)).map(([name]) => name);
  if (defaults.include === 'manual')
    return { approve, include: namesWith((include) => include === 'always' || include === 'agent') };
  const manual = namesWith((include) => include === 'manual');
  return manual.length === 0 ? { approve } : { approve, exclude: manual };
}

/** Reads the tool settings, in the format of this version or an older one. */
function toolConfig(server: TsServer): { defaults: ToolConfig; tools: Record<string, ToolConfig> } {
  const { toolPermissionRequired: permissions, toolInclude: included } = server;
  if (!permissions && !included) return { defaults: server.serverToolDefaults ?? {}, tools: server.tools ?? {} };
  const names = [...Object.keys(permissions?.tools ?? {}), ...Object.keys(included?.tools ?? {})];
  const tools = names.map((name) => [
    name,
    { permissionRequired: permissions?.tools?.[name], include: included?.tools?.[name] },
  ]);
  return {
    defaults: { permissionRequired: permissions?.serverDefault, include: included?.serverDefault },
    tools: Object.fromEntries(tools),
  };
}

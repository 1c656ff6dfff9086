import { matchesAnyGlob } from '../base/glob.ts';
import { isRecord } from '../base/is-record.ts';
import type { JsonObject } from '../base/json.ts';
import { compileForeignSchema, type JsonSchema } from '../base/json-schema/json-schema.ts';
import { depthKey } from '../tools/caller.ts';
import { type ContentBlock, ToolContent } from '../tools/content.ts';
import {
  assumedAnnotations,
  isReadableHint,
  sendsOrDestroys,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolIcon,
} from '../tools/tool.ts';
import { descriptionOf, hintsOf, inputSchemaOf } from './remote-tool.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { ToolSetting } from './server-store.ts';
import type { RemoteCallOptions, RemoteResult, RemoteTool } from './supervise/server-connection.ts';

/** Calls a tool of a server by its remote name. */
export type CallRemote = (input: object, options: RemoteCallOptions) => Promise<RemoteResult>;

export interface ExternalToolOptions {
  server: string;
  localName: string;
  definition: RemoteTool;
  setting: ToolSetting;
  requiresApproval: boolean;
  trustHints: boolean;
  call: CallRemote;
}

/** Turns a server's tool into a tool of the hub. Its schemas are the very objects that the server sent. */
export function externalTool({
  server,
  localName,
  definition,
  setting,
  requiresApproval,
  trustHints,
  call,
}: ExternalToolOptions): Tool {
  const inputSchema = inputSchemaOf(definition) ?? { type: 'object' };
  const check = compileForeignSchema(inputSchema);
  return {
    name: localName,
    title: titleOf(definition),
    description: setting.description ?? descriptionOf(definition),
    origin: `server ${server}`,
    // It reaches another system, whatever the server's hints say.
    right: 'work',
    annotations: annotationsOf(definition),
    icons: iconsOf(definition),
    isForMembers: false,
    isHidden: false,
    requiresApproval,
    canHarm: !trustHints || (!isReading(definition) && sendsOrDestroys(annotationsOf(definition))),
    readsOutside: true,
    server: { name: server, remoteName: definition.name },
    keepsKeys: false,
    inputSchema,
    outputSchema: outputSchemaOf(definition),
    parse(raw) {
      const input = raw ?? {};
      check(input);
      return input;
    },
    async run(input, context) {
      const meta = metaOf(context);
      // `parse` accepts only objects.
      const options = { signal: context.signal, client: context.client, meta };
      return toToolContent(await call(input as object, options));
    },
  };
}

/** Returns the `_meta` of the call. */
function metaOf({ traceparent, caller }: ToolContext): JsonObject | undefined {
  if (traceparent === '' && !caller.depth) return undefined;
  return { ...(traceparent !== '' && { traceparent }), ...(caller.depth && { [depthKey]: caller.depth }) };
}

/** Tells whether an agent's call needs approval: by the user's setting, else the server's definition, else the tool's own hints if they count. */
export function needsApproval(
  tool: RemoteTool,
  { approve, trustHints }: Pick<ServerDefinition, 'approve' | 'trustHints'>,
  setting: ToolSetting,
): boolean {
  if (setting.requiresApproval !== null) return setting.requiresApproval;
  if (approve === null) return !(trustHints && isReading(tool));
  const excepted = approve.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  return matchesAnyGlob(approve, tool.name) && !matchesAnyGlob(excepted, tool.name);
}

/**
 * Tells whether the tool claims that it only reads, inside its server. Most servers leave out `openWorldHint`; if the user trusts the hints,
 * that means that the tool stays inside.
 */
function isReading(tool: RemoteTool): boolean {
  const { readOnlyHint, openWorldHint } = hintsOf(tool);
  return readOnlyHint === true && openWorldHint !== true;
}

/** Returns all hints, including those that only the server knows; tool lists pass them on. */
function annotationsOf({ annotations }: RemoteTool): ToolAnnotations {
  if (!isRecord(annotations)) return assumedAnnotations;
  const readable = Object.entries(annotations).filter(([hint, value]) => isReadableHint(hint, value));
  return { ...assumedAnnotations, ...Object.fromEntries(readable) };
}

function titleOf({ name, title, annotations }: RemoteTool): string {
  if (typeof title === 'string' && title !== '') return title;
  const other = isRecord(annotations) ? annotations.title : undefined;
  return typeof other === 'string' && other !== '' ? other : name;
}

/** Image addresses that a client can load. Any other kind of address could be a trap for the client that shows it. */
const pictureAddress = /^(?:https?:\/\/|data:image\/)/i;

function iconsOf({ icons }: RemoteTool): readonly ToolIcon[] | undefined {
  if (!Array.isArray(icons)) return undefined;
  const shown = icons.filter(
    (icon): icon is ToolIcon => isRecord(icon) && typeof icon.src === 'string' && pictureAddress.test(icon.src),
  );
  return shown.length === 0 ? undefined : shown;
}

function outputSchemaOf({ outputSchema }: RemoteTool): JsonSchema | undefined {
  return isRecord(outputSchema) ? outputSchema : undefined;
}

/** Converts a result. Passes on all blocks unchanged, including kinds that only the server and its client know. */
export function toToolContent(result: RemoteResult): ToolContent {
  const content = Array.isArray(result.content) ? result.content : [];
  return new ToolContent(content as unknown as ContentBlock[], {
    ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
    isError: result.isError === true,
    ...metaIn(result),
  });
}

/** Keys of the protocol itself. They concern the connection to the server and are not passed on. */
const protocolPrefix = 'io.modelcontextprotocol/';

function metaIn({ _meta }: RemoteResult): { _meta?: JsonObject } {
  if (typeof _meta !== 'object' || _meta === null) return {};
  const passedOn = Object.entries(_meta).filter(([key]) => !key.startsWith(protocolPrefix));
  return passedOn.length === 0 ? {} : { _meta: Object.fromEntries(passedOn) };
}

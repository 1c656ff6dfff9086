import { matchesAnyGlob } from '../base/glob.ts';
import { needsApproval } from './external-tool.ts';
import { noteOnHidden } from './hidden-characters.ts';
import { faultOf } from './remote-tool.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { HeldTool, ServerMemory, ToolList, ToolPin, ToolSetting } from './server-store.ts';
import { relevantLists, shownList, versionLabel } from './server-versions.ts';
import type { ServerTool } from './servers.ts';
import { toLocalName } from './tool-names.ts';

/** A server's tool, before its name is compared with the names of other tools. */
export type ToolDraft = Omit<ServerTool, 'closeTo'> & { acceptedHash: string | null };

export interface ServerToolsOptions {
  server: string;
  definition: ServerDefinition;
  memory: ServerMemory;
  /** The id of the list that this process has read; undefined if it has read none. */
  listId?: string | undefined;
  /** Why none of the server's tools can be called; null if they can. */
  offReason: string | null;
}

/** Returns every listed or accepted tool of the shown version with its status. Only active tools can be called. */
export function describeTools({ listId, ...options }: ServerToolsOptions): ToolDraft[] {
  const { memory } = options;
  const list = shownList(memory, listId);
  return list ? describeList(options, relevantLists(memory, list), list) : [];
}

/** Returns the new and changed tools of other versions, each definition once. */
export function describeElsewhere({ listId, ...options }: ServerToolsOptions): ToolDraft[] {
  const { memory } = options;
  const [shown, ...others] = relevantLists(memory, shownList(memory, listId));
  const drafts = new Map<string, ToolDraft>();
  for (const list of others) {
    for (const draft of describeList(options, others, list, true)) {
      const isWaiting = draft.status === 'new' || draft.status === 'changed';
      if (!isWaiting || shown?.tools.get(draft.remoteName) === draft.proposedHash) continue;
      drafts.set(`${draft.proposedHash} ${draft.remoteName}`, draft);
    }
  }
  return [...drafts.values()];
}

function describeList(
  { server, definition, memory, offReason }: Omit<ServerToolsOptions, 'listId'>,
  lists: readonly ToolList[],
  list: ToolList,
  isElsewhere = false,
): ToolDraft[] {
  const pins = Map.groupBy(memory.pins, (pin) => pin.tool);
  const held = Map.groupBy(memory.held, (each) => each.tool);
  const settings = new Map(memory.settings.map((setting) => [setting.tool, setting]));
  const names = [...new Set([...pins.keys(), ...list.tools.keys()])];
  return names.flatMap((tool) => {
    const hash = list.tools.get(tool);
    const accepted = pins.get(tool)?.find((pin) => pin.hash === hash);
    const proposed = accepted ? undefined : held.get(tool)?.find((each) => each.hash === hash);
    const pin = accepted ?? pins.get(tool)?.at(-1);
    const shown = pin ?? proposed;
    // Without its definition, nothing can be shown of a tool. The next list brings it.
    if (!shown || (hash !== undefined && !accepted && !proposed)) return [];
    const listing = lists.filter(({ tools }) => (hash === undefined ? tools.has(tool) : tools.get(tool) === hash));
    const versions = [...new Set(listing.map(versionLabel))];
    const setting = settings.get(tool) ?? defaultSetting(tool);
    const isGone = hash === undefined;
    const { status, note } = statusOf({
      definition,
      offReason,
      setting,
      pin,
      waiting: proposed,
      isGone,
      versions,
      list,
      isElsewhere,
    });
    const hidden = noteOnHidden((proposed ?? shown).definition);
    return [
      {
        remoteName: tool,
        localName: toLocalName({ server, remoteName: tool, prefix: definition.prefix, alias: setting.alias }),
        status,
        note: [note, hidden].filter((each) => each !== null).join(' ') || null,
        accepted: pin?.definition ?? null,
        acceptedHash: pin?.hash ?? null,
        proposed: proposed?.definition ?? null,
        proposedHash: proposed?.hash ?? null,
        versions,
        setting,
        requiresApproval: needsApproval(shown.definition, definition, setting),
      },
    ];
  });
}

export function defaultSetting(tool: string): ToolSetting {
  return { tool, enabled: true, alias: null, description: null, requiresApproval: null };
}

interface StatusInput {
  definition: ServerDefinition;
  offReason: string | null;
  setting: ToolSetting;
  pin: ToolPin | undefined;
  waiting: HeldTool | undefined;
  /** The list does not have the tool. */
  isGone: boolean;
  /** The versions that have it. */
  versions: readonly string[];
  list: ToolList;
  /** Another process sees this list. */
  isElsewhere: boolean;
}

function statusOf(input: StatusInput): Pick<ServerTool, 'status' | 'note'> {
  const { definition, offReason, setting, pin, waiting, isGone, versions, list } = input;
  const { include, exclude } = definition;
  const isShown = (include === null || matchesAnyGlob(include, setting.tool)) && !matchesAnyGlob(exclude, setting.tool);
  if (!isShown) return { status: 'filtered', note: null };
  if (isGone) {
    const elsewhere = `Version ${versionLabel(list)} does not list it; ${versions.join(', ')} does.`;
    return { status: 'gone', note: versions.length > 0 ? elsewhere : 'The server no longer lists it.' };
  }
  const shown = waiting ?? pin;
  const fault = shown && faultOf(shown.definition);
  if (fault) return { status: 'unusable', note: fault };
  if (!setting.enabled) return { status: 'off', note: null };
  if (waiting) return { status: pin ? 'changed' : 'new', note: noteOnWaiting(input) };
  if (offReason !== null) return { status: 'off', note: offReason };
  return { status: 'active', note: null };
}

function noteOnWaiting({ pin, versions, isElsewhere }: StatusInput): string {
  if (isElsewhere) {
    const what = pin ? 'differs from what you accepted' : 'is new';
    return `In version ${versions.join(', ')}, it ${what}. It cannot be called there until you accept it.`;
  }
  return pin
    ? 'The server changed it after you accepted it. It cannot be called until you accept the change.'
    : 'New tool. It cannot be called until you accept it.';
}

import { matchesAnyGlob } from '../base/glob.ts';
import { needsApproval } from './external-tool.ts';
import { noteOnHidden } from './hidden-characters.ts';
import { faultOf } from './remote-tool.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { HeldTool, ServerMemory, ToolPin, ToolSetting } from './server-store.ts';
import type { ServerTool } from './servers.ts';
import { toLocalName } from './tool-names.ts';
import { goneHash } from './trust.ts';

/** A server's tool, before its name is compared with the names of other tools. */
export type ToolDraft = Omit<ServerTool, 'closeTo'> & { acceptedHash: string | null };

export interface ServerToolsOptions {
  server: string;
  definition: ServerDefinition;
  memory: ServerMemory;
  /** Why none of the server's tools can be called; null if they can. */
  offReason: string | null;
}

/** Returns every accepted or held tool with its status. Only active tools can be called. */
export function describeTools({ server, definition, memory, offReason }: ServerToolsOptions): ToolDraft[] {
  const pins = new Map(memory.pins.map((pin) => [pin.tool, pin]));
  const held = new Map(memory.held.map((each) => [each.tool, each]));
  const settings = new Map(memory.settings.map((setting) => [setting.tool, setting]));
  const names = [...new Set([...pins.keys(), ...held.keys()])];
  return names.flatMap((tool) => {
    const pin = pins.get(tool);
    const waiting = held.get(tool);
    const shown = pin ?? waiting;
    if (!shown || (!pin && waiting?.hash === goneHash)) return [];
    const setting = settings.get(tool) ?? defaultSetting(tool);
    const proposed = waiting && waiting.hash !== goneHash ? waiting : undefined;
    const { status, note } = statusOf({ definition, offReason, setting, pin, waiting });
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
}

function statusOf({ definition, offReason, setting, pin, waiting }: StatusInput): Pick<ServerTool, 'status' | 'note'> {
  const { include, exclude } = definition;
  const isShown = (include === null || matchesAnyGlob(include, setting.tool)) && !matchesAnyGlob(exclude, setting.tool);
  if (!isShown) return { status: 'filtered', note: null };
  if (waiting?.hash === goneHash) return { status: 'gone', note: 'The server no longer lists it.' };
  const shown = waiting ?? pin;
  const fault = shown && faultOf(shown.definition);
  if (fault) return { status: 'unusable', note: fault };
  if (!setting.enabled) return { status: 'off', note: null };
  if (waiting && pin)
    return {
      status: 'changed',
      note: 'The server changed it after you accepted it. It cannot be called until you accept the change.',
    };
  if (waiting) return { status: 'new', note: 'New tool. It cannot be called until you accept it.' };
  if (offReason !== null) return { status: 'off', note: offReason };
  return { status: 'active', note: null };
}

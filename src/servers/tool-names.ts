import { isAcceptedName, shortName } from '../base/short-name.ts';
import type { Tool } from '../tools/tool.ts';
import { isTeamToolName } from './server-definition.ts';

/** Tells whether the user can give this name to a tool of a server. */
export function isToolName(name: string): boolean {
  return isAcceptedName(name) && !isTeamToolName(name);
}

export interface NamedTool {
  server: string;
  remoteName: string;
  /** Null means `mcp__{server}__`. */
  prefix: string | null;
  /** The name that the user chose. */
  alias: string | null;
}

/** Returns the name of a server's tool in the hub. A name that clients would refuse is shortened, always in the same way. */
export function toLocalName({ server, remoteName, prefix, alias }: NamedTool): string {
  if (alias !== null) return alias;
  const whole = `${prefix ?? `mcp__${server}__`}${remoteName}`;
  if (isToolName(whole)) return whole;
  // With an empty prefix it would look like a team tool.
  const longer = isTeamToolName(whole) ? `${server}_${remoteName}` : whole;
  return shortName(longer, `${server}\0${remoteName}`);
}

export interface OwnedName {
  server: string;
  tool: string;
}

/** Shorter names are one letter away from too many others. */
const minLengthForEdits = 5;
const maxLengthForEdits = 128;
/** Odd, for a polynomial hash in 32 bits. */
const factor = 0x01000193;
/** Nobody reads more. */
const maxNamed = 20;

/**
 * Returns a function that finds tools of other servers with a confusingly similar name: equal except for case, `_`, `-` and `.`, or one
 * letter apart. The time it takes is proportional to the total length of all names.
 */
export function findCloseNames(names: readonly OwnedName[]): (name: OwnedName) => OwnedName[] {
  const byKey = new Map<string, OwnedName[]>();
  const keysByRest = new Map<number, string[]>();
  for (const name of names) {
    const key = keyOf(name.tool);
    const same = byKey.get(key);
    if (same) {
      same.push(name);
      continue;
    }
    byKey.set(key, [name]);
    for (const rest of editHashes(key)) {
      const keys = keysByRest.get(rest);
      if (keys) keys.push(key);
      else keysByRest.set(rest, [key]);
    }
  }
  const known = new Map<string, OwnedName[]>();
  return ({ server, tool }) => {
    const key = keyOf(tool);
    let near = known.get(key);
    if (!near) {
      const keys = new Set([key]);
      for (const rest of editHashes(key))
        for (const other of keysByRest.get(rest) ?? []) if (isOneEdit(key, other)) keys.add(other);
      near = [...keys].flatMap((each) => byKey.get(each) ?? []);
      known.set(key, near);
    }
    return near.filter((each) => each.server !== server).slice(0, maxNamed);
  };
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** Returns hashes of the key, and of the key without each of its letters. Two keys that are one edit apart share one of them. */
function editHashes(key: string): Set<number> {
  if (key.length < minLengthForEdits || key.length > maxLengthForEdits) return new Set();
  /** Hashes of the text before each position. */
  const before = [0];
  for (let index = 0; index < key.length; index += 1)
    before.push((Math.imul(before[index] ?? 0, factor) + key.charCodeAt(index)) | 0);
  const rests = new Set([(before.at(-1) ?? 0) | 0]);
  let after = 0;
  let power = 1;
  for (let index = key.length - 1; index >= 0; index -= 1) {
    rests.add((Math.imul(before[index] ?? 0, power) + after) | 0);
    after = (after + Math.imul(key.charCodeAt(index), power)) | 0;
    power = Math.imul(power, factor);
  }
  return rests;
}

function isOneEdit(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length);
  const shortest = Math.min(one.length, other.length);
  if (shortest < minLengthForEdits || longest - shortest > 1) return false;
  let start = 0;
  while (start < shortest && one.charCodeAt(start) === other.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shortest - start && one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end))
    end += 1;
  return start + end >= longest - 1;
}

/**
 * Sorts tools of several servers so that the owner of a name comes before other tools of that name. The owner is the server whose own
 * prefix the name starts with, or else the first server by name; the order in which servers connect does not matter.
 */
export function rankTools(tools: readonly Tool[]): Tool[] {
  const owners = new Map<string, Tool>();
  for (const tool of tools) {
    const other = owners.get(tool.name);
    if (!other || comesBefore(tool, other)) owners.set(tool.name, tool);
  }
  return [...owners.values(), ...tools.filter((tool) => owners.get(tool.name) !== tool)];
}

function comesBefore(tool: Tool, other: Tool): boolean {
  const [mine, others] = [hasOwnPrefix(tool), hasOwnPrefix(other)];
  return mine === others ? (tool.server?.name ?? '') < (other.server?.name ?? '') : mine;
}

function hasOwnPrefix({ name, server }: Tool): boolean {
  return server !== undefined && name.startsWith(`mcp__${server.name}__`);
}

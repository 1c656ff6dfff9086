import { isTeamToolName } from './server-definition.ts';

/** Names that every MCP client accepts. */
const accepted = /^[A-Za-z0-9_.-]{1,64}$/;
const longest = 64;

/** Whether a person can give it to a tool of a server. */
export function isToolName(name: string): boolean {
  return accepted.test(name) && !isTeamToolName(name);
}

export interface NamedTool {
  server: string;
  remoteName: string;
  /** Null is `mcp__{server}__`. */
  prefix: string | null;
  /** What a person chose. */
  alias: string | null;
}

/**
 * What a server's tool is called in the hub. A name that is too long, or has characters that clients refuse, is cut and
 * gets eight digits of its hash: the same name always gives the same alias, and two names two of them.
 */
export function toLocalName({ server, remoteName, prefix, alias }: NamedTool): string {
  if (alias !== null) return alias;
  const whole = `${prefix ?? `mcp__${server}__`}${remoteName}`;
  if (isToolName(whole)) return whole;
  // Without its prefix it would look like a tool of the team.
  const longer = isTeamToolName(whole) ? `${server}_${remoteName}` : whole;
  const readable = longer.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, longest - 9);
  return `${readable}_${digest(`${server}\0${remoteName}`)}`;
}

/** FNV-1a over UTF-16, which needs no library and is the same everywhere. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

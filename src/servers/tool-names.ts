import { isAcceptedName, shortName } from '../base/short-name.ts';
import { isTeamToolName } from './server-definition.ts';

/** Whether a person can give it to a tool of a server. */
export function isToolName(name: string): boolean {
  return isAcceptedName(name) && !isTeamToolName(name);
}

export interface NamedTool {
  server: string;
  remoteName: string;
  /** Null is `mcp__{server}__`. */
  prefix: string | null;
  /** What a person chose. */
  alias: string | null;
}

/** What a server's tool is called in the hub; one that clients would refuse gets a short name that stays the same. */
export function toLocalName({ server, remoteName, prefix, alias }: NamedTool): string {
  if (alias !== null) return alias;
  const whole = `${prefix ?? `mcp__${server}__`}${remoteName}`;
  if (isToolName(whole)) return whole;
  // Without its prefix it would look like a tool of the team.
  const longer = isTeamToolName(whole) ? `${server}_${remoteName}` : whole;
  return shortName(longer, `${server}\0${remoteName}`);
}

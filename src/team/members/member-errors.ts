import { HubError } from '../../base/hub-error.ts';

export function unknownMember(id: string): HubError {
  return new HubError('AGENT_NOT_FOUND', `There is no member "${id.slice(0, 80)}". "zoo team list" shows all members.`);
}

export function otherMember(id: string, agentId: string): HubError {
  const claimed = agentId.slice(0, 80);
  return new HubError(
    'PERMISSION_DENIED',
    `agentId: the token belongs to "${id}", not to "${claimed}". Call as "${id}", or use the token of "${claimed}".`,
  );
}

export function needsToken(agentId: string): HubError {
  // Redaction would remove the word after "Bearer" if it looked like a token.
  return new HubError(
    'PERMISSION_DENIED',
    `Calling as "${agentId.slice(0, 80)}" requires a token. Send it in the Authorization header, after the word Bearer. "zoo team token MEMBER" creates one.`,
  );
}

type Entry = Record<string, unknown>;

/** How a server over HTTP knows who calls, in the words of Codex, Cursor, Gemini, or our own. */
export function readEntryAuth(entry: Entry, problems: string[]): unknown {
  const variable = entry.bearer_token_env_var;
  if (typeof variable === 'string') return { type: 'bearer', token: `\${${variable}}` };
  if (typeof entry.bearer_token === 'string') return { type: 'bearer', token: entry.bearer_token };
  const { auth, oauth } = entry;
  if (auth === 'oauth' || oauth === true) return { type: 'oauth' };
  if (isRecord(oauth) && oauth.enabled !== false) return readOAuth(oauth);
  if (!isRecord(auth)) {
    if (auth !== undefined && auth !== null) problems.push('auth: must be a table with "type" and is left out');
    return undefined;
  }
  const type = typeof auth.type === 'string' ? auth.type.toLowerCase().replace(/[^a-z0-9]/g, '') : undefined;
  if (type === 'bearer') return { ...auth, type: 'bearer' };
  if (type === 'apikey') {
    const { api_key: apiKey, ...rest } = auth;
    return { ...rest, type: 'api-key', ...(apiKey !== undefined && { key: apiKey }) };
  }
  if (type === 'headers' || type === 'custom') return { ...auth, type: 'headers' };
  if (type === 'oauth' || type === 'oauth2' || (type === undefined && clientIdOf(auth) !== undefined))
    return readOAuth(auth);
  // The schema says what it may be.
  return auth;
}

function readOAuth(given: Entry): Entry {
  const { scope, scopes, grant } = given;
  const wanted = scope ?? scopes;
  const clientSecret = given.clientSecret ?? given.client_secret ?? given.CLIENT_SECRET;
  return {
    type: 'oauth',
    ...(clientIdOf(given) !== undefined && { clientId: clientIdOf(given) }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(wanted !== undefined && { scope: Array.isArray(wanted) ? wanted.join(' ') : wanted }),
    ...(typeof grant === 'string' && { grant: grant.replaceAll('_', '-') }),
  };
}

function clientIdOf(given: Entry): unknown {
  return given.clientId ?? given.client_id ?? given.CLIENT_ID;
}

function isRecord(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { Control } from './control.ts';

export const callerControls: readonly Control[] = [
  {
    control: 'The Host header must name this hub',
    file: 'src/http/server/guards.ts',
    off: { find: '  checkHost(request.headers.host, port);\n', replace: '' },
    test: { file: 'src/http/server/guards.test.ts', title: 'reply to Host %j with %i' },
  },
  {
    control: 'Requests come only from pages of this hub (Origin)',
    file: 'src/http/server/guards.ts',
    off: { find: '  checkOrigin(request.headers.origin, port);\n', replace: '' },
    test: { file: 'src/http/server/guards.test.ts', title: 'reply to Origin %j with %i, whatever the method' },
  },
  {
    control: 'Pages of other sites cannot write (Sec-Fetch-Site)',
    file: 'src/http/server/guards.ts',
    off: { find: '  checkFetchSite(request);\n', replace: '' },
    test: { file: 'src/http/server/guards.test.ts', title: 'reply to %s and Sec-Fetch-Site %s with %i' },
  },
  {
    control: 'The request line must contain a path',
    file: 'src/http/server/guards.ts',
    off: { find: '  checkTarget(request);\n', replace: '' },
    test: { file: 'src/http/server/guards.test.ts', title: 'reply to the request line %s %s with %i' },
  },
  {
    control: 'Every request passes these checks',
    file: 'src/http/server/serve.ts',
    off: { find: '      else checkRequest(request, address.port);\n', replace: '' },
    test: { file: 'test/journeys/http-server.test.ts', title: 'refuses %s, for the API, MCP and pages alike' },
  },
  {
    control: 'A request with two Host headers is refused',
    file: 'src/http/server/serve.ts',
    off: { find: 'joinDuplicateHeaders: true', replace: 'joinDuplicateHeaders: false' },
    test: { file: 'test/journeys/http-server.test.ts', title: 'refuses a request with two hosts' },
  },
  {
    control: 'Beyond loopback, the hub serves only with TLS or behind a named proxy',
    file: 'src/http/server/door.ts',
    off: { find: '    refuseUnencrypted(host, settings);\n', replace: '' },
    test: { file: 'test/journeys/http-server.test.ts', title: 'refuses to bind to %j' },
  },
  {
    control: 'Pages cannot be framed',
    file: 'src/http/server/security-headers.ts',
    off: { find: "  'x-frame-options': 'DENY',\n", replace: '' },
    test: { file: 'test/journeys/http-server.test.ts', title: 'has the security headers: %s %s' },
  },
  {
    control: 'Every route asks who is calling',
    file: 'src/http/app.ts',
    off: { find: '    refuseRoute(route, caller, params);\n', replace: '' },
    test: { file: 'test/journeys/rights.test.ts', title: 'is refused to %s exactly as the table says' },
  },
  {
    control: 'A route needs the right that its contract declares',
    file: 'src/callers/refuse-route.ts',
    off: { find: '  if (!hasRight(caller.right, right)) throw withoutRight(caller, right);\n', replace: '' },
    test: { file: 'src/callers/refuse-route.test.ts', title: 'needs its right, for %s' },
  },
  {
    control: 'A key for one agent opens no route of another',
    file: 'src/callers/refuse-route.ts',
    off: {
      find: '  if (scopedBy !== undefined && params[scopedBy] === caller.agentId) return;\n',
      replace: '  return;\n',
    },
    test: {
      file: 'src/callers/refuse-route.test.ts',
      title: 'of another agent is refused to a key for one agent, and so is one of no agent',
    },
  },
  {
    control: 'MCP asks who is calling',
    file: 'src/mcp-server/http/http-request.ts',
    off: { find: '  refuseRoute(hubAddress, from, {});\n', replace: '' },
    test: { file: 'test/journeys/anonymous.test.ts', title: '= "%s" decides what callers without a key may do' },
  },
  {
    control: 'MCP without a key needs the right of anonymous callers',
    file: 'src/mcp-server/http/http.ts',
    off: {
      find: "this.#parts.callers.anonymous.right === 'none' ? undefined : this.#server.hubView",
      replace: 'this.#server.hubView',
    },
    test: { file: 'test/journeys/anonymous.test.ts', title: '= "%s" decides what callers without a key may do' },
  },
  {
    control: 'A member without a token needs the right of anonymous callers',
    file: 'src/hub/calls.ts',
    off: { find: "from.right === 'none' || from.kind === 'client'", replace: "from.kind === 'client'" },
    test: { file: 'test/journeys/anonymous.test.ts', title: '= "%s" decides what callers without a key may do' },
  },
  {
    control: 'A client cannot say that it is a member',
    file: 'src/hub/calls.ts',
    off: { find: "from.right === 'none' || from.kind === 'client'", replace: "from.right === 'none'" },
    test: {
      file: 'test/journeys/anonymous.test.ts',
      title: 'a client with a key is no member, even before any member has had a token',
    },
  },
  {
    control: 'A Tools-mode agent asks who is calling',
    file: 'src/mcp-server/http/http-request.ts',
    off: { find: '    refuseRoute(servedAgents, from, { id: servedId });\n', replace: '' },
    test: { file: 'test/journeys/rights.test.ts', title: 'a Tools-mode agent and A2A need the right to work' },
  },
  {
    control: 'A tool needs its right',
    file: 'src/tools/permissions.ts',
    off: { find: '  if (!hasRight(caller.right, tool.right)) return withoutRight(caller, tool);\n', replace: '' },
    test: { file: 'src/tools/permissions.test.ts', title: 'may only call tools that its right includes' },
  },
  {
    control: 'A wrong or revoked key is never anonymous',
    file: 'src/callers/create-callers.ts',
    off: {
      find: '    if (kind !== undefined) {\n',
      replace: '    if (kind !== undefined) return withoutCredential;\n    if (kind !== undefined) {\n',
    },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'that was revoked or never existed is refused in every process, and is never anonymous',
    },
  },
  {
    control: 'The cookie of a signed-out browser is never anonymous',
    file: 'src/callers/create-callers.ts',
    off: { find: '    if (!key) {\n', replace: '    if (!key) return withoutCredential;\n    if (!key) {\n' },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'ends with its session: after a sign-out, and after a year',
    },
  },
  {
    control: "No other key passes for the owner's",
    file: 'src/callers/create-callers.ts',
    off: { find: "if (kind === 'owner' && isEqual(token, await ownerKey()))", replace: "if (kind === 'owner')" },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'is made once, in a file that only this user can read, and no other key is accepted as one',
    },
  },
  {
    control: 'A credential works only as what it is',
    file: 'src/callers/create-callers.ts',
    off: { find: 'if (key?.kind !== kind || (', replace: 'if (!key || (' },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'is nothing but a code: it neither signs in as a key or cookie, nor does a key work as a code',
    },
  },
  {
    control: 'Streams end when their key is revoked',
    file: 'src/http/server/serve.ts',
    off: { find: '() => running.endRevoked((door ?? hub).callers)', replace: '() => {}' },
    test: {
      file: 'test/journeys/rights.test.ts',
      title: 'ends when its key is revoked or its browser is signed out, and others stay',
    },
  },
  {
    control: 'A new installation is claimed once',
    file: 'src/callers/create-callers.ts',
    off: { find: ", { mark: 'claimed' })", replace: ')' },
    test: { file: 'src/callers/create-callers.test.ts', title: 'is claimed by the first browser, and by no other' },
  },
  {
    control: 'An installation that was signed in to cannot be claimed',
    file: 'src/callers/access-keys.store.ts',
    off: {
      find: ".values({ name: 'claimed', at: session.createdAt })",
      replace: ".values({ name: 'other', at: session.createdAt })",
    },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'cannot be claimed again after its browser was signed out, or after a sign-in with a link',
    },
  },
  {
    control: 'A sign-in code works once',
    file: 'src/callers/access-keys.store.ts',
    off: { find: '        if (numDeletedRows === 0n) return false;\n', replace: '' },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'works once, even if two browsers use it at the same time',
    },
  },
  {
    control: 'A sign-in code expires',
    file: 'src/callers/create-callers.ts',
    off: { find: '(key.expiresAt !== null && key.expiresAt <= clock.now())', replace: 'false' },
    test: { file: 'src/callers/create-callers.test.ts', title: 'expires after ten minutes' },
  },
  {
    control: 'Scripts of a page cannot read the cookie',
    file: 'src/callers/create-callers.ts',
    off: { find: 'HttpOnly; ', replace: '' },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'is out of reach for scripts and other sites, and belongs to this installation',
    },
  },
  {
    control: 'Other sites cannot use the cookie',
    file: 'src/callers/create-callers.ts',
    off: { find: '; SameSite=Strict', replace: '' },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'is out of reach for scripts and other sites, and belongs to this installation',
    },
  },
  {
    control: 'Key files are for their user only',
    file: 'src/base/key-file.ts',
    off: { find: "await open(path, 'wx', 0o600)", replace: "await open(path, 'wx', 0o644)" },
    test: {
      file: 'src/callers/create-callers.test.ts',
      title: 'is made once, in a file that only this user can read, and no other key is accepted as one',
    },
  },
  {
    control: 'The database is for its user only',
    file: 'src/db/sqlite/open-sqlite.ts',
    off: { find: '  makePrivateFile(file);\n', replace: '' },
    test: {
      file: 'src/db/sqlite/open-sqlite.test.ts',
      title: 'a database and the files beside it are for this user only, also one that was not',
    },
  },
  {
    control: 'The data folder is for its user only',
    file: 'src/base/private-files.ts',
    off: { find: 'mkdirSync(folder, { mode: 0o700 })', replace: 'mkdirSync(folder)' },
    test: { file: 'src/base/private-files.test.ts', title: 'new files and folders are for this user only' },
  },
  {
    control: 'Backups are for their user only',
    file: 'src/db/backup-file.ts',
    off: { find: '  makePrivateFile(to);\n', replace: '' },
    test: { file: 'src/store/backup.test.ts', title: 'is for this user only' },
  },
  {
    control: 'A member with a token cannot name another member',
    file: 'src/team/members/team-members.ts',
    off: {
      find: '    if (agentId !== undefined && agentId !== member.id) throw otherMember(member.id, agentId);\n',
      replace: '',
    },
    test: { file: 'src/team/members/team-members.test.ts', title: 'only by their own token once any member has one' },
  },
  {
    control: 'A bare agentId is not believed while a member has a token',
    file: 'src/team/members/team-members.ts',
    off: { find: '  if ((await roster.current()).hasHadToken) throw needsToken(agentId);\n', replace: '' },
    test: { file: 'src/team/members/team-members.test.ts', title: 'only by their own token once any member has one' },
  },
  {
    control: 'A token that was made once closes bare agentIds for good',
    file: 'src/team/members/roster.ts',
    off: { find: 'hasHadToken: hasHadToken || withToken.length > 0', replace: 'hasHadToken: withToken.length > 0' },
    test: {
      file: 'test/journeys/rights.test.ts',
      title: 'believes no name without a token once a token was made, even after all tokens are revoked',
    },
  },
  {
    control: "A new member gets none of a former member's stored replies",
    file: 'src/team/members/members.store.ts',
    off: {
      find: "      await db.deleteFrom('idempotency_keys').where('owner', '=', row.id).execute();\n",
      replace: '',
    },
    test: {
      file: 'test/journeys/team-hostile.test.ts',
      title: "a new member with a former member's id gets none of its stored replies",
    },
  },
];

import type { Control } from './control.ts';

const journey = 'test/journeys/beyond-loopback.test.ts';

/** What protects a hub that others can reach over the network. */
export const doorControls: readonly Control[] = [
  {
    control: 'Every request through a door passes its checks',
    file: 'src/http/server/serve.ts',
    off: { find: '      if (door) door.check(request);\n', replace: '      if (door) void door.check;\n' },
    test: { file: journey, title: 'a request with %j gets %i' },
  },
  {
    control: 'Only named proxies may connect',
    file: 'src/http/server/door.ts',
    off: { find: '    if (!isOpen) this.#checkPeer(visitor);\n', replace: '' },
    test: { file: journey, title: 'a connection from elsewhere is refused, whatever it says about itself' },
  },
  {
    control: 'Beyond loopback, the Host header must name the public address',
    file: 'src/http/server/door.ts',
    off: { find: '    if (!isOpen) this.#checkHost(visitor);\n', replace: '' },
    test: { file: journey, title: 'a request with %j gets %i' },
  },
  {
    control: 'Beyond loopback, requests come only from pages of this hub (Origin)',
    file: 'src/http/server/door.ts',
    off: { find: '    this.#checkOrigin(request.headers.origin, visitor, isLocal);\n', replace: '' },
    test: { file: journey, title: 'a page of %s gets %i' },
  },
  {
    control: 'Beyond loopback, pages of other sites cannot write (Sec-Fetch-Site)',
    file: 'src/http/server/door.ts',
    off: { find: '    checkFetchSite(request);\n', replace: '' },
    test: { file: journey, title: 'a page of another site cannot write' },
  },
  {
    control: 'A proxy does not pass on requests that it received unencrypted',
    file: 'src/http/server/door.ts',
    off: { find: '    this.#checkScheme(visitor, isOpen);\n', replace: '' },
    test: { file: journey, title: 'a request with %j gets %i' },
  },
  {
    control: 'Beyond loopback, callers without a credential have no rights',
    file: 'src/callers/create-callers.ts',
    off: { find: 'beyondLoopback ? nobody : {', replace: 'false ? nobody : {' },
    test: {
      file: journey,
      title:
        'callers without a key have no rights, here and on the machine itself, and the config that says otherwise is a problem',
    },
  },
  {
    control: 'Beyond loopback, no browser is signed in without a link',
    file: 'src/callers/create-callers.ts',
    off: { find: '      if (beyondLoopback) return false;\n', replace: '' },
    test: { file: journey, title: 'the first browser is not signed in by itself' },
  },
  {
    control: 'The cookie of an https address is sent over HTTPS only',
    file: 'src/callers/create-callers.ts',
    off: { find: "'; Secure' : ''", replace: "'' : ''" },
    test: { file: journey, title: 'a browser that signs in gets a cookie for this host and HTTPS only' },
  },
  {
    control: 'Another host of the domain cannot set the cookie',
    file: 'src/callers/create-callers.ts',
    off: { find: "isSecure ? '__Host-' : ''", replace: "''" },
    test: { file: journey, title: 'a browser that signs in gets a cookie for this host and HTTPS only' },
  },
  {
    control: 'Browsers use HTTPS for an https address',
    file: 'src/http/server/security-headers.ts',
    off: { find: ", 'strict-transport-security': 'max-age=31536000'", replace: '' },
    test: { file: journey, title: 'pages and replies of the API tell browsers to use HTTPS' },
  },
  {
    control: 'The number of requests from one address is limited',
    file: 'src/http/server/door.ts',
    off: { find: '    this.#admission?.count(request, visitor);\n', replace: '' },
    test: {
      file: journey,
      title: 'an address has a number of requests, others are not affected, and programs of this machine have none',
    },
  },
  {
    control: 'A client does not escape the limit by saying that it is on this machine',
    file: 'src/http/server/admission.ts',
    off: { find: '    if (!isForwarded && (isPeerTrusted', replace: '    if ((isPeerTrusted' },
    test: {
      file: journey,
      title: 'an address has a number of requests, others are not affected, and programs of this machine have none',
    },
  },
  {
    control: 'Other sites of the certificate are not the hub',
    file: 'src/http/server/door.ts',
    off: { find: '(this.#settings.publicUrl !== undefined || isSameHost)', replace: '(isSameHost || true)' },
    test: { file: journey, title: 'serves the names of the certificate, and a new certificate without a restart' },
  },
  {
    control: 'The number of requests of one caller is limited',
    file: 'src/http/server/admission.ts',
    off: {
      find: "    refuseWhile(this.#byCaller.take(callerKey(identity)), 'requests from this caller');\n",
      replace: '',
    },
    test: { file: journey, title: 'a caller has a number of requests, on every surface' },
  },
  {
    control: 'The number of wrong credentials from one address is limited',
    file: 'src/http/server/admission.ts',
    off: { find: 'this.#failures.take(guest.key)', replace: '0' },
    test: {
      file: journey,
      title: 'wrong credentials are logged with their address, and soon refused unseen; a key that works keeps working',
    },
  },
  {
    control: 'Failed sign-ins over the network are logged with their address',
    file: 'src/http/server/admission.ts',
    off: { find: '    if (!this.#mayLog()) throw error;\n', replace: '    throw error;\n' },
    test: {
      file: journey,
      title: 'wrong credentials are logged with their address, and soon refused unseen; a key that works keeps working',
    },
  },
  {
    control: 'Strangers cannot fill the log',
    file: 'src/http/server/admission.ts',
    off: { find: "    if (this.#entries.take('') === 0) return true;\n", replace: '    return true;\n' },
    test: { file: journey, title: 'a flood of strangers cannot fill the log' },
  },
  {
    control: 'A private key must belong to the certificate',
    file: 'src/base/read-certificate.ts',
    off: { find: 'if (!x509.checkPrivateKey(privateKey)) {', replace: 'if (!x509) {' },
    test: { file: 'src/http/server/certificate.test.ts', title: 'with %s is refused' },
  },
  {
    control: 'What a client says about its own address is not believed',
    file: 'src/http/server/visitors.ts',
    off: { find: '    if (!proxies.has(address)) break;\n', replace: '' },
    test: { file: 'src/http/server/visitors.test.ts', title: 'from %s with X-Forwarded-For %j is %s' },
  },
  {
    control: 'X-Forwarded headers count only from trusted proxies',
    file: 'src/http/server/visitors.ts',
    off: { find: '  if (!proxies.has(peer)) {', replace: '  if (proxies.isEmpty) {' },
    test: {
      file: 'src/http/server/visitors.test.ts',
      title: 'host and scheme of a trusted proxy count, and those of others do not',
    },
  },
  {
    control: 'Strangers are not told where the database is (/ready)',
    file: 'src/http/hub.routes.ts',
    off: { find: "hasRight(caller.right, 'use')\n", replace: 'hub !== undefined\n' },
    test: {
      file: 'test/journeys/ready.test.ts',
      title: 'tells strangers that it is not ready, and only those with a right where its database is',
    },
  },
  {
    control: 'Strangers are not told where the database is when their credential cannot be checked',
    file: 'src/http/server/admission.ts',
    off: { find: 'const error = withoutPlace(thrown);', replace: 'const error = thrown ?? withoutPlace(thrown);' },
    test: {
      file: 'test/journeys/ready.test.ts',
      title: 'tells nobody without a right where its database is, whatever they ask',
    },
  },
  {
    control: 'A proxy has a name: not every address is one',
    file: 'src/config/config.ts',
    off: { find: "(range) => !range.endsWith('/0')", replace: '() => true' },
    test: { file: 'src/config/load-config.test.ts', title: 'every address is a proxy' },
  },
  {
    control: 'Strangers cannot make the hub check its database again and again (/ready)',
    file: 'src/store/open-store.ts',
    off: { find: '      checking ??= checkOnce();\n', replace: '      checking = checkOnce();\n' },
    test: { file: 'test/journeys/ready.test.ts', title: 'checks the database once, however many ask' },
  },
  {
    control: 'The number of connections from one address is limited',
    file: 'src/http/server/door.ts',
    off: { find: '      if (count > maxSockets) return void socket.destroy();\n', replace: '' },
    test: {
      file: 'src/http/server/door.test.ts',
      title: 'an address has a limited number of connections, and others are not affected',
    },
  },
  {
    control: 'Headers must arrive in time',
    file: 'src/http/server/door.ts',
    off: { find: 'headersTimeout: headersMs, ', replace: '' },
    test: {
      file: 'src/http/server/door.test.ts',
      title: 'the headers of a request have less time than Node gives them',
    },
  },
  {
    control: 'A caller cannot keep others out of MCP sessions',
    file: 'src/mcp-server/http/http-sessions.ts',
    off: { find: ' ?? this.#oldestBusy(all, newcomer);', replace: ';\n    void newcomer;' },
    test: {
      file: 'src/mcp-server/http/http-sessions.test.ts',
      title: 'a caller with all sessions, all busy, gives one up to each caller with fewer, and gets no more',
    },
  },
  {
    control: 'A caller cannot keep others out of MCP subscriptions',
    file: 'src/mcp-server/http/open-streams.ts',
    off: { find: '    if (!oldest)\n', replace: '    if (oldest || newcomer)\n' },
    test: {
      file: 'src/mcp-server/http/open-streams.test.ts',
      title: 'a caller with all subscriptions gives one up to each caller with fewer, and gets no more',
    },
  },
  {
    control: 'A caller cannot keep others out of A2A',
    file: 'src/a2a/rpc-server.ts',
    off: { find: '      oldest?.();\n', replace: '' },
    test: {
      file: 'test/journeys/a2a.test.ts',
      title: 'are limited to 200, and free their slot when they leave or when a caller with fewer comes',
    },
  },
  {
    control: 'A caller cannot keep others from following chats',
    file: 'src/chats/chat-stream.routes.ts',
    off: { find: '      if (!oldest) {\n', replace: '      if (oldest || newcomer) {\n' },
    test: {
      file: 'src/chats/chat-stream.routes.test.ts',
      title: 'a caller with all streams gives one up to each caller with fewer, and gets no more',
    },
  },
];

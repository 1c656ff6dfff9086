import type { Control } from './control.ts';

const natsTest =
  'malformed input closes the connection with a reason in the log, and the pauses before the next ones grow';
const cancellationTest =
  'a cancellation goes only to the processes that know the session, and one with an endless id to none';

export const limitControls: readonly Control[] = [
  {
    control: 'A budget that is used up stops model calls',
    file: 'src/usage/meter-calls.ts',
    off: { find: 'if (used >= budget.limit) return', replace: 'if (Number.isNaN(used)) return' },
    test: {
      file: 'test/journeys/usage.test.ts',
      title: 'a budget that is used up stops the next model call, and says who can raise it',
    },
  },
  {
    control: 'Strangers cannot fill the list of clients with names',
    file: 'src/mcp-server/clients/mcp-clients.store.ts',
    off: { find: '    if (this.#noted.size >= maxNew) return;\n', replace: '' },
    test: {
      file: 'src/mcp-server/clients/mcp-clients.store.test.ts',
      title: 'stay few, whatever names strangers send',
    },
  },
  {
    control: 'Unfinished bodies have a budget for the whole hub',
    file: 'src/base/request-bodies.ts',
    off: {
      find: '        if (this.#countedBytes - counted + size > limits.totalBytes) return refuse(budgetUsedUp(limits.totalBytes));\n',
      replace: '',
    },
    test: {
      file: 'src/base/request-bodies.test.ts',
      title: 'beyond the budget are refused, and the connection is closed',
    },
  },
  {
    control: 'A body beyond its limit is refused',
    file: 'src/base/request-bodies.ts',
    off: { find: '        if (bytes > maxBytes || cost > maxCost) return refuse(tooLarge(maxBytes));\n', replace: '' },
    test: { file: 'src/base/request-bodies.test.ts', title: 'beyond their own limit are refused before they end' },
  },
  {
    control: 'A body must arrive in time',
    file: 'src/base/request-bodies.ts',
    off: {
      find: 'timer = setTimeout(() => refuse(tooSlow(milliseconds)), milliseconds);',
      replace: 'timer = setTimeout(() => {}, 0);',
    },
    test: { file: 'src/base/request-bodies.test.ts', title: 'that arrive too slowly time out: %s' },
  },
  {
    control: 'A tool description of a server has at most 16 KB',
    file: 'src/servers/remote-tool.ts',
    off: { find: '? descriptionFault(descriptionOf(tool))', replace: '? undefined' },
    test: {
      file: 'test/journeys/odd-tools.test.ts',
      title: 'is left out of the list, and reported in the status and on its server page',
    },
  },
  {
    control: 'A tool description of ours has at most 16 KB',
    file: 'src/tools/tool.ts',
    off: { find: 'const fault = descriptionFault(definition.description);', replace: "const fault = '';" },
    test: {
      file: 'src/tools/tool.test.ts',
      title: 'a tool with a description over 16 KB is rejected when it is defined',
    },
  },
  {
    control: 'A script ends at its deadline',
    file: 'src/lua/sandbox/job-clock.ts',
    off: {
      find: 'timer = setTimeout(() => controller.abort(tooLong(job, waited)), Math.max(endsAt - performance.now(), 0));',
      replace: 'timer = setTimeout(() => {}, 0);',
    },
    test: { file: 'src/lua/sandbox/job-clock.test.ts', title: 'after %i ms of waiting it runs %i ms more' },
  },
  {
    control: 'A script has limited memory',
    file: 'src/lua/sandbox/lua-machine.ts',
    off: {
      find: '  if (wanted > limit) return 0;\n  const comfortable = Math.min(limit, Math.max(wanted, size * 1.25));',
      replace: '  const comfortable = Math.max(wanted, size * 1.25);',
    },
    test: { file: 'src/lua/sandbox/lua-machine.test.ts', title: 'a script cannot take more memory than its limit' },
  },
  {
    control: 'A script leaves nothing behind for the next one',
    file: 'src/lua/sandbox/lua-machine.ts',
    off: { find: '      memory.set(sealed.memory);\n', replace: '' },
    test: { file: 'src/lua/sandbox/lua-machine.test.ts', title: 'holds the bytes it was sealed with after %s' },
  },
  {
    control: 'A script reads no files beyond its folder',
    file: 'src/lua/host/host-files.ts',
    off: { find: 'const inside = relative(root, path);', replace: "const inside = '';" },
    test: {
      file: 'src/lua/sandbox/hostile.test.ts',
      title: 'to files beyond its folder, by dots, absolute paths or links',
    },
  },
  {
    control: 'A script reads only the variables that its section allows',
    file: 'src/lua/host/script-host.ts',
    off: {
      find: 'if (section.allowEnv.includes(name)) return host.lookUp(name);',
      replace: 'return host.lookUp(name);',
    },
    test: { file: 'src/lua/lua-agents.test.ts', title: 'env.get reads only what the section allows' },
  },
  {
    control: 'Agents that call each other end',
    file: 'src/tools/caller.ts',
    off: { find: '  if (depth < maxDepth) return;\n', replace: '  return;\n' },
    test: { file: 'test/journeys/a2a.test.ts', title: 'nested agent calls end at depth five' },
  },
  {
    control: 'A look for changes of other processes reads a limited number of rows, and misses none beyond it',
    file: 'src/db/postgres/recent-changes.ts',
    off: { find: ' || rows.length > maxRows) return undefined;', replace: ') return undefined;' },
    test: {
      file: 'src/db/change-bus.test.ts',
      title:
        'after more changes than one look reads, everything counts as changed, and later ones are told apart again',
    },
  },
  {
    control: 'A notice to other processes is no longer than the server accepts',
    file: 'src/db/postgres/postgres-changes.ts',
    off: { find: 'Buffer.byteLength(text) <= maxNoticeBytes', replace: 'Buffer.byteLength(text) <= 1e9' },
    test: {
      file: 'src/db/change-bus.test.ts',
      title: 'everything is published once a process has closed its database, for the previous version, too',
    },
  },
  {
    control: 'A line from a NATS server is limited',
    file: 'src/db/nats-line.ts',
    off: {
      find: 'if (Math.max(end, end === -1 ? rest.length : 0) > maxLineBytes)',
      replace: 'if (Math.max(end, end === -1 ? rest.length : 0) > 1e9 * maxLineBytes)',
    },
    test: { file: 'src/db/nats-line.test.ts', title: natsTest },
  },
  {
    control: 'A message from a NATS server is limited',
    file: 'src/db/nats-line.ts',
    off: { find: 'if (length > maxPayloadBytes)', replace: 'if (length > 1e9 * maxPayloadBytes)' },
    test: { file: 'src/db/nats-line.test.ts', title: natsTest },
  },
  {
    control: 'A cancellation reaches only the processes that know the session',
    file: 'src/mcp-server/http/http-session.ts',
    off: { find: "{ kind: 'cancelled', requestId }, each)", replace: "{ kind: 'cancelled', requestId })" },
    test: { file: 'src/mcp-server/http/http-sessions.test.ts', title: cancellationTest },
  },
  {
    control: 'The id of a cancelled request has a limit',
    file: 'src/mcp-server/http/http-session.ts',
    off: { find: '    if (String(requestId).length > maxCancelledIdLength) return;\n', replace: '' },
    test: { file: 'src/mcp-server/http/http-sessions.test.ts', title: cancellationTest },
  },
  {
    control: 'Messages to all processes are read once',
    file: 'src/mcp-server/sessions/mcp-sessions.store.ts',
    off: { find: '    for (const { id } of rows) this.#seen.add(id);\n', replace: '' },
    test: {
      file: 'src/mcp-server/sessions/mcp-sessions.store.test.ts',
      title: 'messages to all processes are read in pages, and each of them once',
    },
  },
];

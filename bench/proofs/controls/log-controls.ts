import type { Control } from './control.ts';

export const logControls: readonly Control[] = [
  {
    control: 'Entries are chained with a key that the database does not hold',
    file: 'src/decisions/decision-chain.store.ts',
    off: { find: '  if (key) return key.sign(text);\n', replace: '' },
    test: {
      file: 'src/decisions/log-proof.test.ts',
      title: 'says what is proven: everything, for a log that was written with a key from its start',
    },
  },
  {
    control: 'A changed entry is found',
    file: 'src/decisions/verify-decisions.store.ts',
    off: {
      find: 'return group.hash === hashOf({ before: walk.hash, chain, firstNo, entries }, key);',
      replace: 'return true;',
    },
    test: { file: 'src/decisions/verify-decisions.store.test.ts', title: 'a changed %s is found' },
  },
  {
    control: 'A deleted chain is found (anchors)',
    file: 'src/decisions/verify-proof.ts',
    off: { find: 'if (!row && !walk && cuts.pruned.has(chain)) continue;', replace: 'if (!row && !walk) continue;' },
    test: { file: 'src/decisions/log-proof.test.ts', title: 'a deleted chain is found' },
  },
  {
    control: 'A cut end of a chain is found (anchors)',
    file: 'src/decisions/verify-proof.ts',
    off: { find: 'if (walk?.hasAnchor ||', replace: 'if (walk ||' },
    test: { file: 'src/decisions/log-proof.test.ts', title: 'a cut end is found' },
  },
  {
    control: 'A cut start of a chain is found',
    file: 'src/decisions/verify-proof.ts',
    off: { find: '  for (const row of chains.values()) checkStart(row, comparison, compared);\n', replace: '' },
    test: {
      file: 'src/decisions/log-proof.test.ts',
      title: 'a cut start is found, unless the hub itself deleted what was old',
    },
  },
  {
    control: 'A chain that was written without the key is found',
    file: 'src/decisions/verify-proof.ts',
    off: { find: 'if (isStrange(chain, walk, comparison))', replace: "if (chain === '')" },
    test: {
      file: 'src/decisions/log-proof.test.ts',
      title: 'a chain that was rewritten without a key is found, even if its process was killed before it was anchored',
    },
  },
  {
    control: 'The anchors are for their user only',
    file: 'src/decisions/anchor-file.ts',
    off: { find: "await open(path, 'a', 0o600)", replace: "await open(path, 'a', 0o644)" },
    test: {
      file: 'src/decisions/log-proof.test.ts',
      title: 'keeps the key and the anchors in files for the user only, and out of the database',
    },
  },
  {
    control: 'Administrative acts are logged',
    file: 'src/http/app.ts',
    off: {
      find: '    if (response.ok) await logAct(parts, route, { params, body, note: act, by: actorOf(caller) });\n',
      replace: '',
    },
    test: {
      file: 'test/journeys/people-in-the-log.test.ts',
      title: '%s is an entry that says who, what, and before and after',
    },
  },
  {
    control: 'Refused attempts are logged',
    file: 'src/http/app.ts',
    off: {
      find: 'if (error instanceof HubError && isAttempt) await logRefusal(parts, route, context, { caller, error, params });',
      replace: 'void isAttempt;',
    },
    test: { file: 'test/journeys/people-in-the-log.test.ts', title: 'is an entry if it is refused, with who tried' },
  },
  {
    control: 'Reading a screen writes nothing',
    file: 'src/http/log-act.ts',
    off: { find: "if (method === 'GET' || isToolCall) return false;", replace: 'if (isToolCall) return false;' },
    test: {
      file: 'test/journeys/people-in-the-log.test.ts',
      title: 'reading a screen writes no entry, whatever the address',
    },
  },
  {
    control: 'No call runs that cannot be logged',
    file: 'src/tools/execute-tool.ts',
    off: {
      find: '    if (tool.runsWhileLogged) logged.catch(ignore);\n    else await logged;\n',
      replace: '    logged.catch(ignore);\n',
    },
    test: { file: 'src/tools/execute-tool.test.ts', title: 'does not run a tool if the call cannot be logged' },
  },
  {
    control: 'Unexpected errors tell callers nothing',
    file: 'src/base/hub-error.ts',
    off: {
      find: "return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error });",
      replace: "return new HubError('INTERNAL_ERROR', String(error), { cause: error });",
    },
    test: { file: 'test/journeys/http-server.test.ts', title: 'is logged in full and reported as "Internal error"' },
  },
];

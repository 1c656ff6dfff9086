/** The expected outcome of a hostile script, `src/lua/hostile/{script}.lua`. Used by the tests and by `npm run proof`. */
export interface HostileCase {
  script: string;
  code: 'TIMEOUT' | 'AGENT_ERROR';
  message: RegExp;
  /** Reads only its metadata. */
  isMetadata?: boolean;
}

const stopped = (script: string, isMetadata = false): HostileCase => ({
  script,
  code: 'TIMEOUT',
  message: /^hostile\/[\w-]+\.lua ran past its limit of [\d.]+ s and was stopped\./,
  isMetadata,
});

const tooBig = (script: string): HostileCase => ({
  script,
  code: 'AGENT_ERROR',
  message: /^hostile\/[\w-]+\.lua used more than 64 MB of memory and was stopped/,
});

const fails = (script: string, message: RegExp): HostileCase => ({ script, code: 'AGENT_ERROR', message });

export const hostileCases: readonly HostileCase[] = [
  stopped('endless-loop'),
  stopped('loop-while-loading'),
  stopped('loop-while-loading', true),
  stopped('metadata-that-loops', true),
  stopped('loop-in-pcall'),
  stopped('loop-with-goto'),
  stopped('loop-in-coroutine'),
  stopped('coroutine-ping-pong'),
  stopped('coroutine-iterator'),
  stopped('coroutine-close-loop'),
  stopped('gc-loop'),
  stopped('close-loop'),
  stopped('metamethod-loop'),
  stopped('sort-that-never-ends'),
  stopped('pattern-bomb'),
  stopped('pattern-bomb-in-pcall'),
  stopped('sleep-past-the-deadline'),
  stopped('sleeps-in-pcall'),
  stopped('http-without-answer'),
  stopped('search-without-answer'),
  stopped('searches-in-pcall'),
  stopped('get-in-sort-without-answer'),
  stopped('handler-that-loops'),
  stopped('tostring-that-loops'),
  stopped('memory-in-pcall'),
  stopped('log-flood'),

  tooBig('string-of-a-gigabyte'),
  tooBig('table-bomb'),
  tooBig('doubling-text'),
  tooBig('joined-text'),
  tooBig('growing-gsub'),
  tooBig('million-coroutines'),
  tooBig('memory-in-coroutine'),
  tooBig('gc-that-keeps-memory'),

  fails('deep-recursion', /^hostile\/deep-recursion\.lua:2: stack overflow/),
  fails('recursion-through-pcall', /^hostile\/recursion-through-pcall\.lua.*stack overflow/),
  fails('recursion-through-gsub', /^hostile\/recursion-through-gsub\.lua: C stack overflow$/),
  fails('recursion-through-coroutines', /^hostile\/recursion-through-coroutines\.lua:2: C stack overflow$/),
  fails('recursion-through-tostring', /^hostile\/recursion-through-tostring\.lua: C stack overflow$/),
  fails('index-recursion', /^hostile\/index-recursion\.lua:2: .*stack overflow/),
  fails('index-chain', /^hostile\/index-chain\.lua:4: '__index' chain too long/),
  fails('too-many-values', /^hostile\/too-many-values\.lua:2: too many results to unpack/),
  fails('bad-comparator', /^hostile\/bad-comparator\.lua:4: invalid order function for sorting/),

  fails('error-in-error-handler', /^hostile\/error-in-error-handler\.lua: false: /),
  fails('error-without-message', /^hostile\/error-without-message\.lua: the script failed without a message/),
  fails('error-with-table', /^hostile\/error-with-table\.lua: \{"code":7,"why":"full"\}$/),
  fails('error-with-message', /^hostile\/error-with-message\.lua: the pager is silent$/),
  fails('error-with-function', /^hostile\/error-with-function\.lua: the script failed with a function as its error$/),
  fails('error-of-megabytes', /^hostile\/error-of-megabytes\.lua:2: x{3900,4000}$/),
  fails('error-of-many-values', /^hostile\/error-of-many-values\.lua: \["/),
  fails('search-with-many-options', /lua:4: the options: more than 2000 values$/),
  fails('path-of-megabytes', /lua:2: fs\.read takes at most 4096 bytes of text$/),
  fails('nil-index', /^hostile\/nil-index\.lua:4: attempt to index a nil value \(local 'doc'\)$/),
  fails('broken-syntax', /^hostile\/broken-syntax\.lua:2: unexpected symbol near '\}'$/),
  fails('yield-outside', /^hostile\/yield-outside\.lua: attempt to yield from outside a coroutine$/),

  fails('returns-itself', /^hostile\/returns-itself\.lua: .*\.messages\[1\]\.parent contains itself$/),
  fails('returns-a-function', /\.messages\[1\]\.content is a function; only strings, /),
  fails('returns-a-coroutine', /\.system is a coroutine; only strings, /),
  fails('returns-too-many-values', /agent\.resolve: more than 100000 values$/),
  fails('returns-too-much-text', /agent\.resolve: more than 5 MB of text$/),
  fails('returns-no-number', /\.score is NaN, which is not a JSON number$/),
  fails('returns-infinity', /\.score is Infinity, which is not a JSON number$/),
  fails('returns-a-mixture', /\.messages is a list but also has the key "role"; it must be a list or a record$/),
  fails('returns-gaps', /\.messages has gaps: 2 values up to number 3; /),
  fails('returns-odd-keys', /has a key that is a table; keys are strings, /),
  fails('returns-deep-nesting', /is nested deeper than 64 levels$/),
  fails('returns-a-huge-integer', /\.id is an integer beyond 2\^53, .* use a string$/),
  fails('returns-proto', /has the key "__proto__", which is not allowed$/),
  fails('not-a-function', /: the script has no function agent\.resolve; it is a string$/),
  fails('no-table', /: "agent" is a number; it must be a table$/),
  fails('returns-text-instead-of-the-table', /: the script returned a string; it must return the table "agent" /),
];

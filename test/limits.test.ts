import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/run-step.ts';

/**
 * `docs/limits.md` lists every limit of the product. Each row names its constant in a comment, and must show its value. A constant
 * that looks like a limit is in that table, or in `internal`.
 */

interface Row {
  what: string;
  limit: string;
  file: string;
  name: string;
}

const rows: Row[] = readFileSync(join(root, 'docs', 'limits.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!---|what|\*\*)/.test(line))
  .map((line) => {
    const [, what = '', limit = ''] = line.split('|').map((cell) => cell.trim());
    const [, file = '', name = ''] = /<!-- (\S+) ([^>]+?) -->/.exec(line) ?? [];
    return { what, limit, file, name };
  });

const units: Record<string, number> = {
  KB: 1024,
  MB: 1024 * 1024,
  s: 1_000,
  min: 60_000,
  days: 24 * 3_600_000,
};

/** Reads "16 MB", "1,000 messages" or "30 s" as the number in the code. Settings in seconds are written without a unit of time. */
function numberOf(limit: string, name: string): number {
  const [number = '', unit = ''] = limit.split(' ');
  const value = Number(number.replaceAll(',', ''));
  const isSeconds = /_secs$|\btimeout$/.test(name);
  return (value * (units[unit] ?? 1)) / (isSeconds ? 1_000 : 1);
}

/** Evaluates arithmetic such as `16 * 1024`. */
function evaluate(expression: string): number {
  const text = expression.replaceAll('_', '').trim();
  if (!/^[\d\s.*+()-]+$/.test(text)) return Number.NaN;
  // Only digits and operators get here.
  return Number(new Function(`return ${text}`)());
}

/** Returns the value of a constant, of a member of a constant object, or of the default of a setting (`default NAME`). */
function readConstant(source: string, name: string): number {
  const [first = '', second] = name.split(/[. ]/);
  const number = '([\\d_][\\d_.*\\s+()-]*)';
  if (first === 'default') {
    const found = new RegExp(`^\\s*${second}: .*\\.default\\(${number}\\)`, 'm').exec(source)?.[1] ?? '';
    return evaluate(found);
  }
  const whole = new RegExp(`^(?:export )?const ${first}(?:: [^=]+)? = ([^;]+);`, 'm').exec(source)?.[1] ?? '';
  if (second === undefined) return /^[a-z]/i.test(whole) ? Number.NaN : evaluate(whole);
  const member = new RegExp(`\\b${second}: ([^,}\\n]+)`).exec(whole)?.[1] ?? '';
  return evaluate(member);
}

/** Constants that refer to another one. */
const references: Record<string, string> = {
  'base/request-bodies.ts bodyLimits.ordinaryBytes': 'base/json.ts defaultJsonLimits.maxCharacters',
  'base/request-bodies.ts strangerLimits.maxCharacters': 'base/request-bodies.ts bodyLimits.freeBytes',
};

describe('the table of limits', () => {
  it.each(rows.map((row) => [row.what, row] as const))('says what is true: %s', (_, { limit, file, name }) => {
    const [path = '', constant = ''] = (references[`${file} ${name}`] ?? `${file} ${name}`).split(/ (.*)/);
    const source = readFileSync(join(root, 'src', path), 'utf8');
    expect(numberOf(limit, name)).toBe(readConstant(source, constant));
  });

  it('has every limit of the product', () => {
    const listed = new Set([...rows.map(({ file, name }) => `${file} ${name}`), ...internal]);
    const missing = limitsInSource().filter((each) => !listed.has(each));
    expect(missing).toEqual([]);
  });
});

/** Returns `file name` for each constant `max…`, and for each member of a constant `…Limits`. */
function limitsInSource(): string[] {
  const folder = join(root, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.') && !file.includes('migrations'),
  );
  return files.sort().flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const shown = relative(folder, join(folder, file)).replaceAll('\\', '/');
    const plain = [...source.matchAll(/^(?:export )?const (max[A-Z]\w*)(?:: [^=]+)? = /gm)].map(([, name]) => name);
    const objects = [...source.matchAll(/^(?:export )?const (\w+Limits)(?:: [^=]+)? = \{([^}]+)\}/gm)];
    const members = objects.flatMap(([, name, body = '']) =>
      [...body.matchAll(/^\s*(?:\/\*.*\*\/\s*)?(\w+):|[{,] ?(\w+):/gm), ...body.matchAll(/^ (\w+):/g)].map(
        ([, one, other]) => `${name}.${one ?? other}`,
      ),
    );
    return [...new Set([...plain, ...members])].map((name) => `${shown} ${name}`);
  });
}

/** Batches, caches, delays, repeats, and the lengths of texts that are shown: nobody's input or work is refused because of them. */
const internal: readonly string[] = [
  'chats/attachments/attachment.ts attachmentBodyLimits.maxCharacters',
  'config/trust/part-changes.ts maxChangedLines',
  'decisions/count-decisions.store.ts maxCounted',
  'mcp-client/oauth/oauth-grant.ts maxNoticeMs',
  'mcp-server/http/http-sessions.ts maxHearMs',
  'mcp-server/http/http-sessions.ts maxIdle',
  'knowledge/index/indexer-job.ts readLimits.maxTokens',
  'knowledge/index/indexer-job.ts readLimits.overlapTokens',
  'runs/run-steps.store.ts maxKnown',
  'runs/runs.store.ts maxRunning',
  'team/mail/mail.store.ts maxClockGapMs',
  'usage/usage.store.ts maxGroups',
  'usage/usage.store.ts maxRows',
  'usage/usage.store.ts maxSeries',
  'usage/usage.store.ts maxUnpricedModels',
  'http/server/admission.ts maxKnown',
  'config/client-files/edit-json.ts maxDepth',
  'config/trust/part-files.ts maxTextBytes',
  'config/trust/trust.cli.ts maxChangedLines',
  'decisions/verify-proof.ts maxProblems',
  'a2a/agent-card.ts maxCharacters',
  'a2a/list-tasks.ts maxChats',
  'a2a/list-tasks.ts maxCachedChats',
  'agents/agent-versions.routes.ts maxRevision',
  'agents/diff-lines.ts maxChanges',
  'agents/edit-agents.ts maxLostRaces',
  'agents/exposes/fill-template.ts maxProblems',
  'agents/exposes/schema-views.ts maxViews',
  'agents/exposes/template-values.ts maxPathCharacters',
  'agents/exposes/tool-parameters.ts maxProblems',
  'agents/message-context.ts maxUnknown',
  'agents/transfer-agents.ts maxAttempts',
  'agents/transfer-agents.ts importLimits.maxDepth',
  'base/guarded-fetch.ts maxTimerMs',
  'base/json-schema/json-schema.ts ownLimits.steps',
  'base/json-schema/json-schema.ts ownLimits.depth',
  'base/json-schema/json-schema.ts foreignLimits.steps',
  'base/json-schema/json-schema.ts foreignLimits.depth',
  'base/json-schema/linear-pattern.ts maxSteps',
  'base/json-schema/schema-document.ts maxAddressLength',
  'base/json-schema/schema-faults.ts maxFaults',
  'base/json-schema/schema-run.ts maxIssues',
  'base/request-bodies.ts bodyLimits.lingerMs',
  'base/standstill.ts maxKeys',
  'base/token-buckets.ts maxBuckets',
  'base/validate.ts maxIssues',
  'chats/approval.cli.ts maxColumnsInLine',
  'chats/chat-feed.ts maxWaiting',
  'chats/chat-title.ts maxCharacters',
  'chats/chat-words.store.ts maxTextCharacters',
  'chats/chat-words.store.ts maxOrdinal',
  'chats/chats.store.ts maxRows',
  'chats/search-words.ts maxWordCharacters',
  'chats/search-words.ts maxTextWords',
  'chats/search-words.ts maxQueryWords',
  'chats/search-words.ts maxSnippetCharacters',
  'cli/greeting-cache.ts maxCached',
  'cli/mcp-front.ts maxWaitMs',
  'config/config-document.ts maxRounds',
  'config/read-config.ts maxDepth',
  'connectors/choose-files.ts maxStarsInPart',
  'connectors/filesystem/walk-folder.ts maxConcurrent',
  'connectors/ignore-rules.ts maxEffort',
  'db/postgres/postgres-changes.ts maxNoticeBytes',
  'db/postgres/postgres-changes.ts maxLeftRows',
  'db/postgres/postgres-connections.ts usualLimits.doubtMs',
  'db/postgres/postgres-connections.ts usualLimits.lockMs',
  'db/postgres/postgres-connections.ts usualLimits.jobMs',
  'db/postgres/postgres-dialect.ts maxLooks',
  'db/postgres/postgres-errors.ts maxRepeats',
  'db/reconnecting-line.ts maxDelayMs',
  'db/nats-line.ts maxLineBytes',
  'db/nats-line.ts maxPayloadBytes',
  'db/postgres/postgres-changes.ts maxNoticeRows',
  'db/postgres/recent-changes.ts maxRows',
  'db/sqlite/sqlite-dialect.ts maxStatements',
  'db/sqlite/sqlite-dialect.ts maxCharacters',
  'db/sqlite/sqlite-errors.ts maxDelayMs',
  'db/sqlite/wal-sync.ts maxAtOnce',
  'decisions/count-decisions.store.ts maxLooked',
  'decisions/decision-chain.store.ts maxCharacters',
  'decisions/decision-chain.store.ts maxOpenCalls',
  'decisions/decision-groups.store.ts maxInGroup',
  'decisions/decision-groups.store.ts maxSlice',
  'decisions/decision-groups.store.ts maxLooked',
  'decisions/decisions.routes.ts maxIntervals',
  'decisions/decisions.store.ts maxKnown',
  'decisions/decisions.store.ts maxKnownCharacters',
  'decisions/page-decisions.store.ts maxScanned',
  'decisions/page-decisions.store.ts maxTextCharacters',
  'decisions/record-act.ts maxWord',
  'decisions/unfinished-calls.store.ts maxScanned',
  'decisions/unfinished-calls.store.ts maxChains',
  'decisions/verify-decisions.store.ts maxProblems',
  'decisions/verify-decisions.store.ts maxWalks',
  'decisions/write-decisions.store.ts maxSyncing',
  'decisions/write-decisions.store.ts maxIndexes',
  'engine/ask-model.ts maxRepeats',
  'knowledge/document-view.ts maxInOutline',
  'knowledge/index/analyse.ts maxTermLength',
  'knowledge/index/analyse.ts maxTokenLength',
  'knowledge/index/merge-segments.ts maxOfClass',
  'knowledge/index/merge-segments.ts maxSmallChunks',
  'knowledge/index/merge-segments.ts maxRemovedShare',
  'knowledge/index/term-table.ts maxCount',
  'knowledge/search/index-reader.ts maxAttempts',
  'knowledge/search/live-vectors.ts maxReadShare',
  'knowledge/search/live-vectors.ts maxGrowth',
  'knowledge/search/outline.ts maxWords',
  'knowledge/search/outline.ts maxTerms',
  'knowledge/search/rescore.ts maxNearDistance',
  'knowledge/search/search-index.ts maxRescored',
  'knowledge/search/search-index.ts maxPerDocument',
  'knowledge/search/search-index.ts maxPhraseCandidates',
  'knowledge/search/semantic-search.ts maxCachedQueries',
  'knowledge/store/publish-segment.store.ts maxRows',
  'knowledge/store/segments.store.ts maxPostings',
  'knowledge/store/segments.store.ts maxChunks',
  'knowledge/store/segments.store.ts maxCharacters',
  'knowledge/store/vectors.store.ts maxInserted',
  'knowledge/sync/sync-batches.ts maxConcurrentReads',
  'knowledge/sync/sync-batches.ts maxItems',
  'knowledge/sync/sync-batches.ts maxBytes',
  'library/engine-servers.ts maxDelayMs',
  'lua/metadata-cache.ts maxEntries',
  'lua/metadata-cache.ts maxCharacters',
  'lua/sandbox/job-clock.ts maxTimerMs',
  'lua/sandbox/lua-machine.ts maxReusedBytes',
  'lua/sandbox/lua-run.ts maxFunctions',
  'lua/sandbox/lua-run.ts maxNameBytes',
  'lua/sandbox/lua-run.ts maxMessage',
  'lua/sandbox/lua-run.ts maxErrorBytes',
  'lua/sandbox/lua-arguments.ts argumentLimits.maxDepth',
  'lua/sandbox/lua-arguments.ts argumentLimits.maxNodes',
  'lua/sandbox/lua-arguments.ts argumentLimits.maxTextBytes',
  'lua/sandbox/lua-arguments.ts searchLimits.maxDepth',
  'lua/sandbox/lua-arguments.ts searchLimits.maxNodes',
  'lua/sandbox/lua-arguments.ts searchLimits.maxTextBytes',
  'lua/sandbox/lua-arguments.ts headerLimits.maxDepth',
  'lua/sandbox/lua-arguments.ts headerLimits.maxNodes',
  'lua/sandbox/lua-arguments.ts headerLimits.maxTextBytes',
  'mcp-client/connection/answer-server-requests.ts maxUnreadReplies',
  'mcp-client/connection/answer-server-requests.ts maxIdLength',
  'mcp-client/connection/connection-errors.ts maxForeignText',
  'mcp-client/http/http-transport.ts maxErrorBytes',
  'mcp-client/oauth/oauth-grant.ts maxPending',
  'mcp-client/process/server-output.ts maxLines',
  'mcp-client/process/server-output.ts maxShown',
  'mcp-client/process/server-output.ts maxShownCharacters',
  'mcp-client/process/server-output.ts maxLogCharacters',
  'mcp-client/process/stdio-transport.ts maxStderrLine',
  'mcp-server/http/http-request.ts maxKnownAccepts',
  'mcp-server/http/event-ids.ts maxIdCharacters',
  'mcp-server/http/http-session.ts maxFinishedStreams',
  'mcp-server/http/refused-calls.ts maxCalls',
  'mcp-server/methods/paged-list.ts maxCachedPages',
  'mcp-server/stdio/line-reader.ts maxLineCharacters',
  'mcp-server/stdio/stdio.ts maxBufferedCharacters',
  'models/chat-completions.ts maxErrorBytes',
  'models/create-language-models.ts maxKnown',
  'models/embeddings/embed-worker.ts maxCharacters',
  'models/embeddings/server-embedder.ts maxWaitMs',
  'models/embeddings/server-embedder.ts maxDelayMs',
  'models/list-models.ts maxPages',
  'models/retrying-model.ts maxWaitMs',
  'runs/runs.store.ts maxRows',
  'runs/runs.store.ts maxTitleCharacters',
  'runs/runs.store.ts maxReasonCharacters',
  'servers/hidden-characters.ts maxNamed',
  'servers/sign-in.cli.ts maxMinutes',
  'servers/supervise/server-log.ts maxScannedLength',
  'servers/supervise/supervised-connection.ts maxDelayMs',
  'servers/tool-names.ts maxLengthForEdits',
  'servers/tool-names.ts maxNamed',
  'team/events/deliver-target.ts maxErrorCharacters',
  'team/mail/escalate.ts maxToolCharacters',
  'team/mail/escalate.ts maxMessageCharacters',
  'team/mail/escalate.ts maxTraceCharacters',
  'team/mail/find-threads.store.ts maxThreadsSearched',
  'team/mail/find-threads.store.ts maxCharactersSearched',
  'team/mail/mail.ts maxUnreadCount',
  'team/members/add-member.ts maxTries',
  'team/members/add-member.ts maxShownTokens',
  'team/members/hub-presence.ts maxBeatMs',
  'team/work/task-mails.ts maxQuoted',
  'telemetry/otlp-exporter.ts maxTries',
  'text/cut/code-levels.ts maxDepth',
  'text/cut/cut-code.ts maxNameDepth',
  'text/markdown/markdown-blocks.ts maxDepth',
  'text/markdown/markdown-blocks.ts maxInspected',
  'text/markdown/markdown-writer.ts maxDepth',
  'text/read/front-matter.ts maxLines',
  'text/read/read-html.ts maxTreeLength',
  'text/read/read-html.ts maxTreeDepth',
  'text/read/read-html.ts maxTokens',
  'tools/decision-log.ts maxKnownWords',
  'tools/decision-log.ts maxRedactedCharacters',
  'tools/outside-text.ts maxSourceCharacters',
  'tools/permissions.ts maxShown',
  'tools/permissions.ts maxRemembered',
  'tools/permissions.ts maxRememberedName',
];

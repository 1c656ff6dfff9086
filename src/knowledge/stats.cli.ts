import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { count, countOf } from '../cli/terminal/progress-bar.ts';
import { padText, printableLine, textWidth } from '../cli/terminal/text-width.ts';
import type { EmbeddingState, SourceInfo } from './knowledge.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo sources`. */
export function listSources(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async ({ knowledge }) => {
    const sources = await knowledge.sources();
    if (options.json) return printJson(context, sources);
    if (sources.length === 0) {
      return printLine(
        context,
        'You have no sources yet. Add a [connectors.filesystem.NAME] section with a root to the config.',
      );
    }
    printSources(context, sources);
  });
}

/** `zoo stats`. */
export function showStats(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const stats = await hub.knowledge.stats();
    if (options.json) return printJson(context, stats);
    const { dim } = colorsFor(context);
    const rows = [
      ['Documents', count(stats.documents)],
      ['Passages', count(stats.chunks)],
      ['Text', `${count(stats.size)} characters`],
      ['Embeddings', describeEmbeddings(stats.embeddings)],
      ['Database', `${hub.store.kind} (${hub.store.location})`],
    ];
    for (const [label = '', value = ''] of rows) printLine(context, `${dim(label.padEnd(10))} ${value}`);
    for (const each of stats.sources) {
      printLine(
        context,
        `  ${each.source}  ${countOf(each.documents, 'document')}, ${countOf(each.chunks, 'passage')}`,
      );
    }
  });
}

function describeEmbeddings(state: EmbeddingState): string {
  if (!('model' in state))
    return 'disabled (to search by meaning, choose them in the web app under Models, or set [embedding] provider = "local")';
  return `${state.provider} ${state.model}: ${count(state.embedded)} of ${count(state.embedded + state.pending)} passages`;
}

function printSources(context: CliContext, sources: readonly SourceInfo[]): void {
  const { bold, dim, red } = colorsFor(context);
  const nameWidth = Math.max(...sources.map((each) => textWidth(each.source)));
  for (const each of sources) {
    const counts = `${countOf(each.documents, 'document')}, ${countOf(each.chunks, 'passage')}`;
    printLine(context, `  ${bold(padText(each.source, nameWidth))}   ${padText(counts, 30)}   ${stateText(each)}`);
    if (each.place !== '') printLine(context, `  ${' '.repeat(nameWidth)}   ${dim(printableLine(each.place))}`);
    if (each.message !== null && each.message !== each.place)
      printLine(context, `  ${' '.repeat(nameWidth)}   ${red(printableLine(each.message))}`);
  }
}

function stateText(info: SourceInfo): string {
  const { source, origin, requestedAt } = info;
  if (origin === 'gone') return `no longer configured (remove it with "zoo connector remove ${source}")`;
  return requestedAt === null ? stateWords(info) : `${stateWords(info)}, sync queued`;
}

function stateWords({ state, lastSyncedAt }: SourceInfo): string {
  if (state === 'never') return 'never synced';
  if (state === 'syncing') return 'syncing';
  const when = lastSyncedAt === null ? '' : ` ${lastSyncedAt.slice(0, 16).replace('T', ' ')}`;
  return `${state === 'failed' ? 'failed' : 'synced'}${when}`;
}

import { type Command, Option } from 'commander';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { configOption, jsonOption, wholeNumber } from '../cli/terminal/options.ts';

/** Adds `zoo sync`, `search`, `get`, `sources`, `stats`, `export` and `embed`. */
export function addKnowledgeCommands(context: CliContext, program: Command): void {
  program
    .command('sync')
    .description('index new and changed documents')
    .argument('[target]', 'all, a type such as git, or a source such as git:runbooks', 'all')
    .option('-s, --source <name>', 'only the source with this name')
    .option('--full', 'read all documents again, even unchanged ones')
    .option('--dry-run', 'show what would change, without changing it')
    .option('--allow-empty', 'if a source finds no documents, remove the indexed ones')
    .option('--since <date>', 'read only documents changed at or after this time')
    .option('--until <date>', 'read only documents changed at or before this time')
    .option('-n, --limit <number>', 'read at most this many new and changed documents of each source', wholeNumber)
    .addOption(
      new Option('--progress <mode>', 'print the progress on stderr, for people or as JSON lines').choices([
        'human',
        'json',
      ]),
    )
    .option('--no-progress', 'print no progress')
    .option('--explain <file>', 'explain why this file is indexed or skipped; sync nothing')
    .option('--watch', 'keep watching the folders until Ctrl-C')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (target, options) => (await import('./sync.cli.ts')).sync(context, target, options));
  program
    .command('search')
    .description('search the knowledge base')
    .argument('<query...>', 'words to find, or a question')
    .addOption(
      new Option('-m, --mode <mode>', 'search by words, by meaning, or both').choices([
        'keyword',
        'semantic',
        'hybrid',
      ]),
    )
    .option('-n, --limit <number>', 'maximum number of documents', wholeNumber)
    .option('-s, --source <source>', 'only this source (repeatable)', collect)
    .option('-t, --tag <tag>', 'only documents with this tag (repeatable)', collect)
    .option('--since <date>', 'only documents changed at or after this time')
    .option('--until <date>', 'only documents changed at or before this time')
    .option('--explain', 'explain each score')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (words, options) => (await import('./search.cli.ts')).search(context, words, options));
  program
    .command('get')
    .description('print a document')
    .argument('<id>', 'the id, as shown by "zoo search"')
    .option('--lines <range>', 'only these lines, such as 120-180 or 120-')
    .option('--passage <number>', 'only this passage, counted from 0', wholeNumber)
    .option('--max-bytes <number>', 'maximum size of the text (default: unlimited)', wholeNumber)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import('./search.cli.ts')).getDocument(context, id, options));
  program
    .command('sources')
    .description('list document sources')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./stats.cli.ts')).listSources(context, options));
  program
    .command('stats')
    .description('show statistics of the knowledge base')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./stats.cli.ts')).showStats(context, options));
  program
    .command('export')
    .description('write all documents and passages as JSON, for a search on a static site')
    .option('-o, --output <file>', 'write to this file, instead of stdout')
    .addOption(configOption())
    .action(async (options) => (await import('./export.cli.ts')).exportKnowledge(context, options));
  program
    .command('vector-index', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(() =>
      printLine(context, 'The vector index is part of the database and always current. There is nothing to do.'),
    );
  const embed = program.command('embed').description('create embeddings for search by meaning').helpCommand(false);
  embed
    .command('pending')
    .description('embed passages that have no embedding yet')
    .option('-n, --limit <number>', 'embed at most this many passages', wholeNumber)
    .addOption(batchSizeOption())
    .option('--dry-run', 'only count the passages')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./sync.cli.ts')).embed(context, { ...options, rebuild: false }));
  embed
    .command('rebuild')
    .description('embed all passages again')
    .addOption(batchSizeOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./sync.cli.ts')).embed(context, { ...options, rebuild: true }));
}

function batchSizeOption(): Option {
  return new Option('--batch-size <number>', 'passages per request (default: [embedding] batch_size)').argParser(
    wholeNumber,
  );
}

function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

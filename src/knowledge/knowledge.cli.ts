import { type Command, Option } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { configOption, jsonOption, wholeNumber } from '../cli/terminal/options.ts';

/** `zoo sync`, `search`, `get`, `sources`, `stats` and `embed`. */
export function addKnowledgeCommands(context: CliContext, program: Command): void {
  program
    .command('sync')
    .description('bring the knowledge base up to date with its sources')
    .argument('[target]', 'all, a type such as git, or one source such as git:runbooks', 'all')
    .option('--full', 'read every document again')
    .option('--dry-run', 'say what would change, and change nothing')
    .option('--allow-empty', 'believe a source that finds nothing, and remove its documents')
    .option('--explain <file>', 'say why this file is read or left out, and sync nothing')
    .option('--watch', 'go on until Ctrl-C, and follow changes of folders')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (target, options) => (await import('./sync.cli.ts')).sync(context, target, options));
  program
    .command('search')
    .description('search the knowledge base')
    .argument('<query...>', 'words, or a question')
    .addOption(new Option('-m, --mode <mode>', 'how to look').choices(['keyword', 'semantic', 'hybrid']))
    .option('-n, --limit <number>', 'how many documents at most', wholeNumber)
    .option('-s, --source <source>', 'only this source; repeat for more', collect)
    .option('-t, --tag <tag>', 'only documents with this tag; repeat for more', collect)
    .option('--since <date>', 'changed at this time or later')
    .option('--until <date>', 'changed at this time or earlier')
    .option('--explain', 'say how each score came about')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (words, options) => (await import('./search.cli.ts')).search(context, words, options));
  program
    .command('get')
    .description('print a document of the knowledge base')
    .argument('<id>', 'as "zoo search" shows it')
    .option('--lines <range>', 'only these lines, such as 120-180 or 120-')
    .option('--passage <number>', 'only this passage, from 0', wholeNumber)
    .option('--max-bytes <number>', 'bytes of text at most; everything by default', wholeNumber)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import('./search.cli.ts')).getDocument(context, id, options));
  program
    .command('sources')
    .description('list where the documents come from')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./stats.cli.ts')).listSources(context, options));
  program
    .command('stats')
    .description('count what the knowledge base holds')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./stats.cli.ts')).showStats(context, options));
  const embed = program.command('embed').description('embeddings for search by meaning').helpCommand(false);
  for (const [name, description, rebuild] of [
    ['pending', 'embed what has no vector yet', false],
    ['rebuild', 'embed everything anew', true],
  ] as const) {
    embed
      .command(name)
      .description(description)
      .addOption(configOption())
      .addOption(jsonOption())
      .action(async (options) => (await import('./sync.cli.ts')).embed(context, { ...options, rebuild }));
  }
}

function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

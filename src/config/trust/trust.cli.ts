import { HubError } from '../../base/hub-error.ts';
import { realPath } from '../../base/real-path.ts';
import { recordTrust, recordWithoutHub } from '../../cli/record-command.ts';
import { askOne, isTerminal } from '../../cli/terminal/ask.ts';
import { type CliContext, colorsFor, printJson } from '../../cli/terminal/context.ts';
import { printable, printableLine } from '../../cli/terminal/text-width.ts';
import { dataDirOf, searchFrom } from '../find-config.ts';
import { type LoadedConfig, loadConfig } from '../load-config.ts';
import { describePart, partText } from './describe-part.ts';
import { type PartChange, partChanges } from './part-changes.ts';
import { whyUnseen } from './part-files.ts';
import { declineConfig, isDeclined, trustConfig } from './remember-trust.ts';
import { readTrustedFolders, saveTrustedFolder } from './trusted-folders.ts';

export interface TrustOptions {
  yes?: boolean;
  list?: boolean;
  remove?: boolean;
  json?: boolean;
  home?: string;
}

/** Where to write: stdout for `zoo trust`, stderr for a question of another command, whose output may be piped. */
type Screen = CliContext & { to: NodeJS.WriteStream };

/** `zoo trust`: shows what the config of a folder would do, and allows it. */
export async function trust(context: CliContext, folder: string | undefined, options: TrustOptions): Promise<void> {
  const { home } = context;
  const screen = { ...context, to: context.stdout };
  const { cwd, env } = searchFrom(context, { home: options.home, folder });
  const dataDir = dataDirOf({ cwd, env, home });
  if (options.list) return listFolders(screen, dataDir, options);
  if (options.remove) {
    const removed = removeFolder(screen, dataDir, cwd);
    const act = { summary: 'Stop trusting a folder', target: removed };
    return recordWithoutHub(await loadConfig({ cwd, env, home }), 'zoo trust --remove', act);
  }
  // A variable that names a config would hide the one in the folder.
  const place = { cwd, env: { ...env, ZOO_CONFIG: '', CTX_CONFIG: '' }, home };
  const loaded = await loadConfig(place);
  const { file, trust: judged } = loaded;
  if (file === null) throw new HubError('NOT_FOUND', `There is no config in ${cwd}, so there is nothing to trust.`);
  if (judged.folder === null) {
    say(screen, `${file} is the config of your data folder. It is always trusted.`);
  } else if (judged.held.length === 0 && judged.gone.length === 0) {
    // Writes it again, so that a running hub notices that a changed file is back.
    trustConfig(dataDir, judged);
    const why = judged.parts.length === 0 ? 'it contains nothing that needs trust' : 'it has not changed';
    say(screen, `${file} is trusted: ${why}.`);
  } else {
    // Without a question, nobody can choose "show".
    describe(screen, loaded, options.yes || !isTerminal(context) ? Number.POSITIVE_INFINITY : maxShownLines);
    const isTrusted = options.yes ? accept(screen, loaded) : await ask(screen, loaded);
    if (isTrusted) await recordTrust(context, await loadConfig(place));
  }
}

/** Asks a user on a terminal about what is held, unless the user has already refused it. Returns whether it is trusted now. */
export async function askForTrust(context: CliContext, loaded: LoadedConfig): Promise<boolean> {
  if (isDeclined(loaded.trust)) return false;
  const screen = { ...context, to: context.stderr };
  describe(screen, loaded);
  return ask(screen, loaded);
}

async function ask(screen: Screen, loaded: LoadedConfig): Promise<boolean> {
  for (;;) {
    const answer = await askOne(screen, 'Trust it?', ['yes', 'no', 'show']);
    if (answer === 'yes') return accept(screen, loaded);
    if (answer === 'show') showContent(screen, loaded);
    else {
      declineConfig(loaded.dataDir, loaded.trust);
      say(screen, 'Not trusted. Its agents and its own documents can be used; the rest does nothing.\n');
      return false;
    }
  }
}

function accept(screen: Screen, loaded: LoadedConfig): true {
  const { dataDir, trust: judged } = loaded;
  trustConfig(dataDir, judged);
  say(screen, `Trusted: ${judged.folder}\n`);
  return true;
}

const maxShownLines = 40;

function describe(screen: Screen, { file, trust: judged }: LoadedConfig, maxLines = maxShownLines): void {
  const { dim, yellow, green, red } = colorsFor(screen, screen.to);
  const { held, gone, trusted } = judged;
  const isFirst = Object.keys(trusted?.parts ?? {}).length === 0;
  const what = isFirst ? 'is not trusted yet' : 'has changed since you trusted it';
  say(screen, `${printableLine(file ?? '')} ${what}.`);
  if (held.length > 0) say(screen, 'You should know who wrote it. If you trust it, it:\n');
  for (const part of held) {
    const mark = part.state === 'new' ? green('+') : yellow('~');
    say(screen, `  ${mark} ${printableLine(describePart(part))} ${dim(`[${printableLine(part.key)}]`)}`);
    const changes = part.state === 'changed' ? partChanges(part, trusted) : [];
    for (const line of changes.slice(0, maxLines)) say(screen, `      ${paint(line)}`);
    if (changes.length > maxLines)
      say(screen, dim(`        … and ${changes.length - maxLines} more lines; choose "show"`));
  }
  for (const key of gone) say(screen, `  ${red('-')} No longer sets [${printableLine(key)}], so the defaults apply.`);
  say(screen);

  function paint({ kind, text }: PartChange): string {
    const line = printableLine(text);
    if (kind === 'same') return dim(`  ${line}`);
    return kind === 'added' ? green(`+ ${line}`) : red(`- ${line}`);
  }
}

/** Prints the held sections, with secrets masked, and the whole text of the files they run. */
function showContent(screen: Screen, { trust: { held } }: LoadedConfig): void {
  const { bold } = colorsFor(screen, screen.to);
  const files = new Map(held.flatMap((part) => part.files).map((file) => [file.path, file]));
  say(screen);
  for (const part of held) say(screen, `${printable(partText(part))}\n`);
  for (const file of files.values())
    say(screen, `${bold(printableLine(file.name))}\n${printable(file.text ?? `(${whyUnseen(file)})`)}\n`);
}

function listFolders(screen: Screen, dataDir: string, { json }: TrustOptions): void {
  const folders = Object.entries(readTrustedFolders(dataDir)).filter(([, { trustedAt }]) => trustedAt !== null);
  if (json) {
    const rows = folders.map(([folder, { trustedAt, parts }]) => ({ folder, trustedAt, parts: Object.keys(parts) }));
    printJson(screen, rows);
  } else {
    const print = (line: string) => screen.stdout.write(`${printableLine(line)}\n`);
    if (folders.length === 0) print('No folder is trusted yet.');
    for (const [folder, { trustedAt, parts }] of folders)
      print(`${folder}  ${trustedAt?.slice(0, 10)}  ${Object.keys(parts).join(', ') || 'nothing needs trust'}`);
  }
}

/** Throws NOT_FOUND for a folder that is not trusted. */
function removeFolder(screen: Screen, dataDir: string, cwd: string): string {
  const folder = realPath(cwd);
  if (!Object.hasOwn(readTrustedFolders(dataDir), folder))
    throw new HubError('NOT_FOUND', `${folder} is not trusted. "zoo trust --list" shows the folders that are.`);
  saveTrustedFolder(dataDir, folder, undefined);
  say(screen, `No longer trusted: ${folder}`);
  return folder;
}

function say(screen: Screen, line = ''): void {
  screen.to.write(`${line}\n`);
}

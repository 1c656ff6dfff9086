import { HubError } from '../../base/hub-error.ts';
import { GitFailure } from './git-process.ts';
import type { GitAddress } from './git-url.ts';

/** What a person can do about the usual ones. */
const advice: [said: RegExp, advice: string][] = [
  [
    /could not read (Username|Password)|Authentication failed|terminal prompts disabled|Permission denied|\b40[13]\b/i,
    'Give this machine access: a credential helper, an ssh key, or a token in the url from a variable.',
  ],
  [/not found|does not exist|does not appear to be a git repository|\b404\b/i, 'Check the url and who may read it.'],
  [/dubious ownership/i, 'Tell git that it is yours: git config --global --add safe.directory PATH.'],
  [/Host key verification failed/i, 'Connect once by hand with ssh and accept the key of the host.'],
];

/** A sentence with what git said, and no credentials. Errors that are sentences already stay as they are. */
export function gitProblem(error: unknown, address: GitAddress): unknown {
  if (!(error instanceof GitFailure)) return error;
  const said = address.clean(whatGitSaid(error.stderr));
  const what = advice.find(([pattern]) => pattern.test(said))?.[1];
  return new HubError(
    'UNAVAILABLE',
    `The repository ${address.shown} cannot be read: ${said}${/[.!?]$/.test(said) ? '' : '.'}${what ? ` ${what}` : ''}`,
  );
}

function whatGitSaid(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const told = lines.filter(
    (line) => /^(fatal|error|remote|ssh):/i.test(line) || /Permission denied|Host key/.test(line),
  );
  const sentences = (told.length > 0 ? told : lines.filter((line) => line !== ''))
    .map((line) => line.replace(/^(fatal|error|remote):\s*/i, ''))
    .filter((line) => line !== '' && line !== 'Could not read from remote repository.');
  return sentences.slice(0, 3).join('; ').slice(0, 400) || 'git gave no reason';
}

import { spawn } from 'node:child_process';

/** Opens an address in the user's browser. Ignores failures, because the address is also printed. */
export function openBrowser(url: string): void {
  const [command, args] = opener(url);
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

function opener(url: string): [string, string[]] {
  if (process.platform === 'darwin') return ['open', [url]];
  if (process.platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

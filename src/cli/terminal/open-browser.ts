import { spawn } from 'node:child_process';

/** Shows an address in the person's browser. Without one nothing happens; the address is printed anyway. */
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

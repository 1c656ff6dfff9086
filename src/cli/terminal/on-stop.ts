import type { CliContext } from './context.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C can arrive twice: from the terminal, and again through npm or the launcher. */
const sameKeyPressMs = 400;

/** Calls `stop` at the first signal. A later one calls `hurry`, and exits at once if that returns false: there was nothing to skip. */
export function onStop(context: CliContext, stop: () => void, hurry: () => boolean = () => false): () => void {
  let stoppedAt: number | undefined;
  const onSignal = () => {
    if (stoppedAt === undefined) {
      stoppedAt = Date.now();
      stop();
    } else if (Date.now() - stoppedAt > sameKeyPressMs) {
      stoppedAt = Date.now();
      if (hurry()) return;
      context.stderr.write('zoo: stopped at once; running calls were cut off.\n');
      process.exit(130);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

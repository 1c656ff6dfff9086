import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { count, progressBar } from '../cli/terminal/progress-bar.ts';

/** `zoo embed pending|rebuild`. */
export function embed(
  context: CliContext,
  options: ConfigOption & { rebuild: boolean; json?: boolean },
): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  return withHub(context, options, async ({ knowledge }) => {
    const bar = progressBar(context);
    try {
      const result = await knowledge.embed({
        rebuild: options.rebuild,
        signal: stopping.signal,
        onProgress: ({ embedded, pending }) => bar.show('embedding', embedded, embedded + pending),
      });
      bar.clear();
      if (options.json) return printJson(context, result);
      const rest = result.pending > 0 ? `, ${count(result.pending)} are left` : '';
      printLine(context, `${count(result.embedded)} passages embedded${rest}.`);
    } finally {
      bar.clear();
      forget();
    }
  });
}

import { classes } from './classes.ts';

/** Code to read or copy. Long lines scroll, or wrap if `wrap` is set. */
export function CodeText({ text, wrap = false }: { text: string; wrap?: boolean }) {
  return (
    <pre
      // A region that scrolls must be reachable by keyboard.
      tabIndex={wrap ? undefined : 0}
      className={classes(
        'px-3.5 py-3 font-mono text-xs leading-5',
        wrap ? 'whitespace-pre-wrap break-all' : 'overflow-x-auto outline-offset-[-2px]',
      )}
    >
      <code>{text.trimEnd()}</code>
    </pre>
  );
}

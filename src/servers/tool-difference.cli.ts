import { diffLines } from '../agents/diff-lines.ts';
import { type CliContext, colorsFor, printLine } from '../cli/terminal/context.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import type { ServerTool } from './servers.ts';

/** What a server proposes beside what was accepted, line by line. All of it is data: nothing is obeyed or rendered. */
export function printDifference(context: CliContext, tool: ServerTool): void {
  const { bold, green, red, dim } = colorsFor(context);
  const { remoteName, status, accepted, proposed, note, closeTo } = tool;
  printLine(
    context,
    `\n${bold(printableLine(remoteName))} is ${status}${note === null ? '' : `: ${printableLine(note)}`}`,
  );
  for (const { server, tool: other } of closeTo) {
    printLine(context, `  Its name is close to "${printableLine(other)}" of "${server}".`);
  }
  for (const { kind, text } of diffLines(toText(accepted), toText(proposed))) {
    const line = printableLine(text);
    if (kind === 'added') printLine(context, green(`  + ${line}`));
    else if (kind === 'removed') printLine(context, red(`  - ${line}`));
    else printLine(context, dim(`    ${line}`));
  }
}

function toText(definition: object | null): string {
  return definition === null ? '' : JSON.stringify(definition, null, 2);
}

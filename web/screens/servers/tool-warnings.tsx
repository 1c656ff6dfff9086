import { CircleAlert } from 'lucide-react';
import type { ServerTool } from '../../../src/servers/servers.ts';

/** What a person should know before trusting a tool. */
export function ToolWarnings({ tool }: { tool: ServerTool }) {
  const warnings = [
    ...(tool.note === null ? [] : [tool.note]),
    ...tool.closeTo.map((other) => `Its name is easily taken for “${other.tool}” of the server “${other.server}”.`),
  ];
  if (warnings.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-warn text-xs">
      {warnings.map((warning) => (
        <li key={warning} className="flex items-start gap-1.5">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 [overflow-wrap:anywhere]">{warning}</span>
        </li>
      ))}
    </ul>
  );
}

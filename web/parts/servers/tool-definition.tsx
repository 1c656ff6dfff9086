import { CircleAlert } from 'lucide-react';
import { descriptionOf } from '../../../src/servers/remote-tool.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { hasHiddenText, visibleText } from '../../ui/visible-text.ts';
import { sortedJson } from './compare-tools.ts';
import { type ToolStatus, toolStatusNames } from './tool-status.ts';

/** Shows the server's definition of a tool. */
export function ToolDefinitionView({ definition }: { definition: RemoteTool }) {
  const { name: _name, title, description: _description, ...rest } = definition;
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      {title !== undefined && (
        <p className="text-sm [overflow-wrap:anywhere]">
          <span className="text-faint text-xs">Title</span> <ForeignText text={String(title)} />
        </p>
      )}
      <DescriptionText text={descriptionOf(definition)} />
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex items-center gap-2">
          <h4 className="flex-1 font-medium font-sans text-xs">Schema and annotations</h4>
          <CopyButton iconOnly label="Copy definition" text={() => sortedJson(definition)} />
        </div>
        <JsonView label="Schema and annotations" value={withVisibleText(rest)} />
      </div>
    </div>
  );
}

function DescriptionText({ text }: { text: string }) {
  if (!text) return <p className="text-faint text-sm italic">No description.</p>;
  return (
    <p className="max-h-72 overflow-y-auto whitespace-pre-wrap rounded-lg bg-sunken/50 px-3 py-2 text-sm [overflow-wrap:anywhere]">
      <ForeignText text={text} />
    </p>
  );
}

/** Makes hidden characters visible in nested text as well. */
function withVisibleText(value: object): unknown {
  const json = JSON.stringify(value);
  // Replaces quotes and backslashes in the visible form, so that the JSON stays valid.
  return hasHiddenText(json)
    ? JSON.parse(visibleText(json).replaceAll(/⟦hidden: [^⟧]*⟧/g, (text) => text.replaceAll(/["\\]/g, '?')))
    : value;
}

/** Lists what the user should know before trusting a tool. */
export function ToolWarnings({ tool }: { tool: ServerTool }) {
  const warnings = [
    ...(tool.note === null ? [] : [tool.note]),
    ...tool.closeTo.map((other) => `The name looks like “${other.tool}” from the server “${other.server}”.`),
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

const tones: Record<ToolStatus, BadgeTone> = {
  active: 'accent',
  changed: 'warn',
  new: 'warn',
  conflict: 'danger',
  unusable: 'danger',
  off: 'neutral',
  filtered: 'neutral',
  gone: 'neutral',
};

export function StatusBadge({ status }: { status: ToolStatus }) {
  return <Badge tone={tones[status]}>{toolStatusNames[status]}</Badge>;
}

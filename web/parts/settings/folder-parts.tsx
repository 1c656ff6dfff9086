import { useState } from 'react';
import type { FolderBody } from '../../../src/settings/app-settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { Folding } from '../../ui/folding.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format-count.ts';

const stateWords = { new: 'new', changed: 'changed', trusted: 'trusted' } as const;

type Part = FolderBody['parts'][number];

/** What the config of a folder may do, part by part, with the whole text of each part and of the files that it runs. */
export function FolderParts({ folder }: { folder: FolderBody }) {
  return (
    <ul className="flex flex-col gap-3 text-sm">
      {folder.parts.map((part) => (
        <li key={part.key} className="flex flex-col gap-1">
          <p className="[overflow-wrap:anywhere]">
            <ForeignText text={part.description} />
          </p>
          <p className="flex flex-wrap items-center gap-1.5">
            <Badge tone={part.state === 'trusted' ? 'accent' : 'warn'}>{stateWords[part.state]}</Badge>
            <code className="font-mono text-faint text-xs [overflow-wrap:anywhere]">
              <ForeignText text={part.key} />
            </code>
          </p>
          {part.changes.length > 0 && <Lines lines={part.changes} />}
          <PartContent part={part} />
        </li>
      ))}
      {folder.gone.map((key) => (
        <li key={key}>
          <code className="font-mono text-xs">[{key}]</code> was removed; defaults apply.
        </li>
      ))}
    </ul>
  );
}

/** The section of a new part is open: it is short, and the sentence above does not say everything. */
function PartContent({ part }: { part: Part }) {
  return (
    <>
      <Folding isOpenFirst={part.state === 'new'} summary={<span className="text-muted text-xs">Whole section</span>}>
        <Lines lines={textLines(part.text)} />
      </Folding>
      {part.files.map((file) => (
        <Folding
          key={file.name}
          summary={
            <code className="font-mono text-muted text-xs [overflow-wrap:anywhere]">
              <ForeignText text={file.name} />
            </code>
          }
        >
          {file.text === null ? (
            <p className="text-muted text-xs [overflow-wrap:anywhere]">
              <ForeignText text={file.problem ?? ''} />
            </p>
          ) : (
            <Lines lines={textLines(file.text)} />
          )}
        </Folding>
      ))}
    </>
  );
}

type Line = Part['changes'][number] | { kind: 'plain'; text: string };

const signs = { added: '+ ', removed: '− ', same: '  ', plain: '' } as const;
const maxLines = 200;

/** Shows the first lines, and the others on request. Lines are wrapped, so that nothing hides at their far end. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const rest = isWhole ? 0 : Math.max(0, lines.length - maxLines);
  return (
    <div className="rounded-lg bg-sunken">
      <pre className="whitespace-pre-wrap p-2.5 font-mono text-xs [overflow-wrap:anywhere]">
        {lines.slice(0, lines.length - rest).map(({ kind, text }, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity beyond their order
            key={index}
            className={classes(
              kind === 'added' && 'text-accent-text',
              kind === 'removed' && 'text-danger',
              kind === 'same' && 'text-muted',
            )}
          >
            {signs[kind]}
            <ForeignText text={text} />
          </div>
        ))}
      </pre>
      {rest > 0 && (
        <button
          type="button"
          className="w-full py-2 text-muted text-xs hover:underline"
          onClick={() => setIsWhole(true)}
        >
          Show {formatCount(rest, 'more line')}
        </button>
      )}
    </div>
  );
}

function textLines(text: string): Line[] {
  return text.split('\n').map((line) => ({ kind: 'plain', text: line }));
}

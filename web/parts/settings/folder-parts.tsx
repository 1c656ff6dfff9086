import type { FolderBody } from '../../../src/settings/app-settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';

const stateWords = { new: 'new', changed: 'changed', trusted: 'trusted' } as const;

/** What the config of a folder may do, part by part. */
export function FolderParts({ folder }: { folder: FolderBody }) {
  return (
    <ul className="flex flex-col gap-2.5 text-sm">
      {folder.parts.map((part) => (
        <li key={part.key} className="flex flex-col gap-1">
          <p className="[overflow-wrap:anywhere]">
            <ForeignText text={part.description} />
          </p>
          <p className="flex flex-wrap items-center gap-1.5">
            <Badge tone={part.state === 'trusted' ? 'accent' : 'warn'}>{stateWords[part.state]}</Badge>
            <code className="font-mono text-faint text-xs [overflow-wrap:anywhere]">{part.key}</code>
          </p>
          {part.changes.length > 0 && (
            <pre className="overflow-x-auto rounded-lg bg-sunken p-2.5 font-mono text-xs">
              {part.changes.map(({ kind, text }, index) => (
                <div
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity beyond their order
                  key={index}
                  className={classes(
                    kind === 'added' && 'text-accent-text',
                    kind === 'removed' && 'text-danger',
                    kind === 'same' && 'text-muted',
                  )}
                >
                  {kind === 'added' ? '+ ' : kind === 'removed' ? '− ' : '  '}
                  <ForeignText text={text} />
                </div>
              ))}
            </pre>
          )}
        </li>
      ))}
      {folder.gone.map((key) => (
        <li key={key}>
          <code className="font-mono text-xs">[{key}]</code> is gone, so the defaults apply.
        </li>
      ))}
    </ul>
  );
}

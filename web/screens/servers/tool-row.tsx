import { ChevronRight, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { descriptionOf, hintsOf } from '../../../src/servers/remote-tool.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { ToolChange } from '../../api/server-queries.ts';
import { ToolBadges } from '../../parts/tools/tool-badges.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Switch } from '../../ui/switch.tsx';
import { definitionOf } from './filter-tools.ts';
import { StatusBadge } from './status-badge.tsx';
import { ToolSettings } from './tool-settings.tsx';
import { ToolWarnings } from './tool-warnings.tsx';

export interface ToolRowProps {
  tool: ServerTool;
  isOpen: boolean;
  onToggle: () => void;
  onChange: (change: ToolChange) => Promise<unknown>;
  /** A tool that is gone is forgotten. */
  onForget: () => void;
  isPending: boolean;
}

export function ToolRow({ tool, isOpen, onToggle, onChange, onForget, isPending }: ToolRowProps) {
  const panelId = useId();
  const definition = definitionOf(tool);
  const description = tool.setting.description ?? descriptionOf(definition);
  const isOffered = tool.status === 'active';
  // Nobody can call it, whatever was decided about it.
  const isUnusable = tool.status === 'unusable';
  return (
    <li
      aria-label={tool.remoteName}
      data-tool={tool.remoteName}
      data-status={tool.status}
      className="first:rounded-t-card last:rounded-b-card"
    >
      <div className="relative flex items-start gap-3 px-3.5 py-3 hover:bg-hover">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <button
              type="button"
              data-row
              aria-expanded={isOpen}
              aria-controls={panelId}
              onClick={onToggle}
              className={classes(
                '-ml-1 inline-flex min-w-0 max-w-full items-start rounded text-left font-medium font-mono text-sm outline-none after:absolute after:inset-0 focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-(--focus)',
                !isOffered && 'text-muted',
              )}
            >
              <ChevronRight
                aria-hidden
                className={classes('mt-0.5 size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
              />
              <span className="min-w-0 break-all">{tool.localName}</span>
            </button>
            {!isOffered && <StatusBadge status={tool.status} />}
            {!isUnusable && <ToolBadges annotations={hintsOf(definition)} requiresApproval={tool.requiresApproval} />}
          </div>
          {tool.setting.alias !== null && (
            <p className="break-all pl-3 text-faint text-xs">
              called <span className="font-mono">{tool.remoteName}</span> by the server
            </p>
          )}
          {description !== '' && !isOpen && (
            <p className="mt-0.5 line-clamp-2 pl-3 text-muted text-xs [overflow-wrap:anywhere]">
              <ForeignText text={description} />
            </p>
          )}
        </div>
        <div className="relative z-10 flex h-5 items-center">
          {tool.status === 'gone' ? (
            <Button
              size="sm"
              icon={<Trash2 aria-hidden />}
              busy={isPending}
              aria-label={`Forget ${tool.remoteName}`}
              onClick={onForget}
            >
              Forget
            </Button>
          ) : (
            !isUnusable && (
              <Switch
                label={`Offer ${tool.remoteName}`}
                checked={tool.setting.enabled}
                disabled={tool.status === 'filtered'}
                onChange={(enabled) => void onChange({ enabled })}
              />
            )
          )}
        </div>
      </div>
      {(tool.note !== null || tool.closeTo.length > 0) && (
        <div className="px-3.5 pb-3 pl-6.5">
          <ToolWarnings tool={tool} />
        </div>
      )}
      {isOpen && (
        <div id={panelId} className="border-line border-t bg-sunken/30 px-3.5 py-3.5 sm:pl-6.5">
          <ToolSettings tool={tool} onChange={onChange} />
        </div>
      )}
    </li>
  );
}

import { ChevronRight, CornerLeftUp, Folder, FolderCheck, House, RotateCw } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useFolderList } from '../../api/settings-queries.ts';
import { Button } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';

export interface FolderBrowserProps {
  /** Where to begin. If it cannot be listed, the home folder is shown. */
  start: string;
  /** Called with the path of each folder that is opened. */
  onPick: (path: string) => void;
}

/** Lists the folders on the hub's machine. The open folder is the one that is picked. */
export function FolderBrowser({ start, onPick }: FolderBrowserProps) {
  const [path, setPath] = useState(start.trim() || undefined);
  const { data, error, refetch, isPlaceholderData } = useFolderList(path);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualListHandle>(null);
  /** The folder that gets the focus once the list is loaded; an empty string means the first one. */
  const nextFocus = useRef<string | null>(null);
  const isAtStart = useRef(true);

  useEffect(() => {
    // A path that was typed may lead nowhere.
    if (error && isAtStart.current && path !== undefined) setPath(undefined);
  }, [error, path]);
  useEffect(() => {
    if (!data || isPlaceholderData || nextFocus.current === null) return;
    const row = data.folders.findIndex((folder) => folder.path === nextFocus.current);
    nextFocus.current = null;
    if (data.folders.length > 0) list.current?.focusRow(Math.max(row, 0));
    else scroller.current?.focus();
  }, [data, isPlaceholderData]);

  const open = (folder: string, focus = '') => {
    isAtStart.current = false;
    nextFocus.current = focus;
    setPath(folder);
    onPick(folder);
  };
  const up = data?.parent ? { parent: data.parent, from: data.path } : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    const row = event.target instanceof HTMLElement ? event.target.dataset.row : undefined;
    const folder = row === undefined ? undefined : data?.folders[Number(row)];
    if (event.key === 'ArrowRight' && folder) open(folder.path);
    else if ((event.key === 'ArrowLeft' || event.key === 'Backspace') && up) open(up.parent, up.from);
    else return;
    event.preventDefault();
  };

  if (!data) {
    return error ? (
      <div className="flex flex-col items-start gap-2 rounded-xl border border-line p-3">
        <p role="alert" className="text-danger text-sm [overflow-wrap:anywhere]">
          The folder could not be read. {errorText(error)}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<RotateCw aria-hidden />} onClick={() => void refetch()}>
            Try again
          </Button>
          {path !== undefined && (
            <Button size="sm" icon={<House aria-hidden />} onClick={() => setPath(undefined)}>
              Show the home folder
            </Button>
          )}
        </div>
      </div>
    ) : (
      <div role="status" aria-busy="true" aria-label="Loading folders">
        <Skeleton className="h-60 rounded-xl" />
      </div>
    );
  }
  return (
    <section
      aria-label="Folders on the hub’s machine"
      className="flex flex-col overflow-hidden rounded-xl border border-line bg-sunken/40"
    >
      <div className="flex flex-wrap items-center gap-1 border-line border-b p-1.5">
        {data.places.map((place, index) => (
          <button
            key={place.path}
            type="button"
            title={place.path}
            aria-pressed={place.path === data.path}
            onClick={() => open(place.path)}
            className="flex h-7 min-w-0 max-w-full items-center gap-1.5 rounded-lg px-2 text-muted text-xs hover:bg-hover hover:text-text aria-pressed:bg-pressed aria-pressed:text-text max-md:h-9"
          >
            {index === 0 ? (
              <House aria-hidden className="size-3.5 shrink-0" />
            ) : (
              <FolderCheck aria-hidden className="size-3.5 shrink-0" />
            )}
            <span className="truncate">{place.name}</span>
          </button>
        ))}
      </div>
      <div className="flex items-center gap-2 border-line border-b px-3 py-1.5">
        <p className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{data.path}</p>
        {up && (
          <button
            type="button"
            onClick={() => open(up.parent, up.from)}
            className="flex h-7 shrink-0 items-center gap-1.5 rounded-lg px-2 text-muted text-xs hover:bg-hover hover:text-text max-md:h-9"
          >
            <CornerLeftUp aria-hidden className="size-3.5" />
            Up
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys repeat what the buttons inside do. */}
      <div ref={scroller} tabIndex={-1} className="h-52 overflow-y-auto p-1 outline-none" onKeyDown={onKeyDown}>
        {data.folders.length === 0 ? (
          <p className="px-3 py-4 text-center text-muted text-sm">No subfolders here.</p>
        ) : (
          <VirtualList
            key={data.path}
            label="Folders"
            scroller={scroller}
            items={data.folders}
            keyOf={(folder) => folder.path}
            estimateSize={32}
            handle={list}
          >
            {(folder, index) => (
              <button
                type="button"
                data-row={index}
                tabIndex={index === 0 ? 0 : -1}
                onClick={() => open(folder.path)}
                className="flex h-8 w-full items-center gap-2 rounded-lg px-2 text-left text-sm hover:bg-hover max-md:h-10"
              >
                <Folder aria-hidden className="size-4 shrink-0 text-muted" />
                <span className="min-w-0 flex-1 truncate">{folder.name}</span>
                <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
              </button>
            )}
          </VirtualList>
        )}
      </div>
      {data.isCut && (
        <p className="border-line border-t px-3 py-1.5 text-muted text-xs">
          Not all folders are listed. If yours is missing, type its path.
        </p>
      )}
    </section>
  );
}

import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { FileSearch, Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Kbd } from '../../ui/kbd.tsx';
import { useActiveOption } from './use-active-option.ts';
import { type PaletteItem, usePaletteItems } from './use-palette-items.tsx';

export interface CommandPaletteProps {
  onClose: () => void;
  onHelp: () => void;
}

export function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  /** The row that the user went to with the arrows or the pointer; null while the best match is chosen. */
  const [chosen, setChosen] = useState<string | null>(null);
  const isMoving = useRef(false);
  const words = typed.trim();
  const { groups, isSearching } = usePaletteItems(words, onHelp);
  const first = groups[0]?.items[0]?.key ?? '';
  const list = useRef<HTMLDivElement>(null);
  // Read before the field takes the focus.
  const [origin] = useState(() => document.activeElement);
  const isDismissed = useRef(true);
  const root = useActiveOption();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each keystroke
  useEffect(() => {
    setChosen(null);
    list.current?.scrollTo({ top: 0 });
  }, [words]);
  // The list also reports rows that it chooses by itself when results arrive.
  const choose = (key: string) => {
    if (isMoving.current) setChosen(key);
  };
  const moving = () => {
    isMoving.current = true;
    queueMicrotask(() => {
      isMoving.current = false;
    });
  };
  const isChosenListed = chosen === searchKey || groups.some(({ items }) => items.some(({ key }) => key === chosen));
  const close =
    (run: () => void, stays = false) =>
    () => {
      isDismissed.current = false;
      // Now, because a dialog that the action opens returns there.
      if (stays && origin instanceof HTMLElement) origin.focus({ preventScroll: true });
      onClose();
      run();
    };

  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          aria-label="Command palette"
          // What was chosen takes the focus itself.
          finalFocus={() => isDismissed.current && origin instanceof HTMLElement && origin}
          className="-translate-x-1/2 fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-1.5rem)] max-w-xl overflow-hidden rounded-2xl border border-line bg-surface shadow-pop outline-none"
        >
          <Command
            ref={root}
            label="Command palette"
            loop
            shouldFilter={false}
            value={chosen !== null && isChosenListed ? chosen : first}
            onValueChange={choose}
            onKeyDown={moving}
            onPointerMoveCapture={moving}
          >
            <div className="flex items-center gap-2.5 border-line border-b px-4">
              <Search aria-hidden className="size-4 shrink-0 text-faint" />
              <Command.Input
                autoFocus
                value={typed}
                onValueChange={setTyped}
                placeholder="Search agents, chats, tasks, tools…"
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none max-md:text-[16px]"
              />
              <span className="max-md:hidden">
                <Kbd>Esc</Kbd>
              </span>
            </div>
            <Command.List ref={list} className="max-h-[min(55dvh,26rem)] scroll-py-2 overflow-y-auto p-2">
              {groups.map(({ heading, items }) => (
                <Group key={heading} heading={heading}>
                  {items.map((item) => (
                    <Item key={item.key} item={item} onSelect={close(item.run, item.stays)} />
                  ))}
                </Group>
              ))}
              {words !== '' && (
                <Group heading="Knowledge">
                  <Item
                    item={{
                      key: searchKey,
                      name: `Search the knowledge base for “${words}”`,
                      icon: <FileSearch aria-hidden />,
                    }}
                    onSelect={close(() => void navigate({ to: '/knowledge/search', search: { q: words } }))}
                  />
                </Group>
              )}
            </Command.List>
            <p role="status" className="sr-only">
              {words !== '' && !isSearching && countText(groups[0]?.items.length ?? 0)}
            </p>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const searchKey = 'search knowledge';

function countText(count: number): string {
  return count === 1 ? '1 result' : `${count} results`;
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-faint [&_[cmdk-group-heading]]:uppercase [&_[cmdk-group-heading]]:tracking-wider"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  item: Pick<PaletteItem, 'key' | 'name' | 'icon' | 'hint' | 'keys'>;
  onSelect: () => void;
}

function Item({ item: { key, name, icon, hint, keys }, onSelect }: ItemProps) {
  return (
    <Command.Item
      value={key}
      onSelect={onSelect}
      className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-sm data-[selected=true]:bg-accent-soft max-md:h-11 [&>.lucide]:mx-[3px] [&>.lucide]:size-4 [&>.lucide]:shrink-0 [&>.lucide]:text-muted"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {hint && <span className="max-w-40 truncate text-faint text-xs">{hint}</span>}
      {keys && (
        <span className="empty:hidden max-md:hidden">
          <Kbd>{keys}</Kbd>
        </span>
      )}
    </Command.Item>
  );
}

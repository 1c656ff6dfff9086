import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';
import { fadingRow, useActiveInView } from './use-active-in-view.ts';

export interface TabsProps {
  /** The accessible name of the tab list. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  tabs: readonly { value: string; label: string; icon?: ReactNode; count?: number | undefined }[];
  /** TabPanels and surrounding content. */
  children: ReactNode;
  className?: string;
  /** Whether the tabs that do not fit continue in another row. On a phone, they scroll sideways nevertheless. */
  wraps?: boolean;
  /** Shown at the end of the tab row. */
  end?: ReactNode;
}

export function Tabs({ label, value, onChange, tabs, children, className, wraps = false, end }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  useActiveInView(list, [value, ...tabs.map((tab) => tab.value)].join());
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(String(next))} className={className}>
      <div className="flex items-center gap-2 border-line border-b">
        <Base.List
          ref={list}
          aria-label={label}
          activateOnFocus={false}
          className={classes('relative flex min-w-0 flex-1', fadingRow, wraps && 'md:flex-wrap')}
        >
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              className={classes(
                'inline-flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-2 text-muted text-sm outline-offset-[-2px] transition-colors hover:text-text data-active:border-accent data-active:font-medium data-active:text-text max-md:h-11 [&_svg]:size-3.5',
                wraps && 'md:px-1.5',
              )}
            >
              {tab.icon}
              {tab.label}
              {tab.count !== undefined && (
                <span className="rounded-full bg-hover px-1.5 text-2xs text-muted tabular-nums">{tab.count}</span>
              )}
            </Base.Tab>
          ))}
        </Base.List>
        {end}
      </div>
      {children}
    </Base.Root>
  );
}

export interface TabPanelProps {
  value: string;
  children: ReactNode;
  className?: string;
}

export function TabPanel({ value, children, className }: TabPanelProps) {
  return (
    <Base.Panel value={value} className={className}>
      {children}
    </Base.Panel>
  );
}

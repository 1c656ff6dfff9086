import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Versions } from '../../../../src/chats/transcript.ts';
import { IconButton } from '../../../ui/icon-button.tsx';

export interface VersionSwitchProps {
  /** What there are versions of, such as "message". */
  what: string;
  versions: Versions;
  /** Null while an answer is in progress. */
  onSwitch: ((messageId: string) => void) | null;
}

/** Arrows between the versions of a message or answer: "2 / 3". Shows nothing if there is one. */
export function VersionSwitch({ what, versions: { ids, index }, onSwitch }: VersionSwitchProps) {
  if (ids.length < 2) return null;
  const arrow = (label: string, to: string | undefined, icon: ReactNode) => (
    <IconButton
      size="sm"
      label={label}
      icon={icon}
      // Stays focusable at the ends, so that the keyboard does not lose its place.
      aria-disabled={to === undefined || onSwitch === null}
      onClick={() => to !== undefined && onSwitch?.(to)}
    />
  );
  return (
    <fieldset aria-label={`Versions of this ${what}`} className="flex items-center text-faint text-xs">
      {arrow(`Previous version of this ${what}`, ids[index - 1], <ChevronLeft aria-hidden />)}
      <span role="status" className="whitespace-nowrap tabular-nums">
        <span aria-hidden>
          {index + 1} / {ids.length}
        </span>
        <span className="sr-only">
          Version {index + 1} of {ids.length}
        </span>
      </span>
      {arrow(`Next version of this ${what}`, ids[index + 1], <ChevronRight aria-hidden />)}
    </fieldset>
  );
}

import type { ReactNode } from 'react';
import type { Fur } from './creature-parts.tsx';

/** One species in a 64 × 64 view box. */
export interface Drawing {
  /** Ears, manes, horns: behind the face. */
  behind: (fur: Fur) => ReactNode;
  head: (fur: Fur) => ReactNode;
  /** Noses, beaks, mouths: over the markings. */
  front: (fur: Fur) => ReactNode;
  eyeY: number;
  eyeGap: number;
  /** The markings' vertical position, if it differs from the eyes'. */
  markingY?: number;
}

/** Draws the left half and its mirror image. */
export function Both({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <g transform="matrix(-1 0 0 1 64 0)">{children}</g>
    </>
  );
}

export const smile = (fur: Fur, y: number, width = 3.2) => (
  <path
    d={`M${32 - width * 2} ${y}q${width} 3.4 ${width * 2} 0q${width} 3.4 ${width * 2} 0`}
    fill="none"
    stroke={fur.ink}
    strokeWidth="1.7"
    strokeLinecap="round"
  />
);

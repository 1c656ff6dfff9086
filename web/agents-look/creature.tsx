import type { ReactNode } from 'react';
import type { AvatarTraits, Species } from './avatar-traits.ts';
import { Eyes, type Fur, furOf, Marking } from './creature-parts.tsx';

interface Drawing {
  /** Ears, manes, horns: behind the face. */
  behind: (fur: Fur) => ReactNode;
  head: (fur: Fur) => ReactNode;
  /** Noses, beaks, mouths: over the markings. */
  front: (fur: Fur) => ReactNode;
  eyeY: number;
  eyeGap: number;
}

/** A head in a field of 64 × 64. */
export function Creature({ traits }: { traits: AvatarTraits }) {
  const fur = furOf(traits.hue);
  const drawing = drawings[traits.species];
  return (
    <>
      {drawing.behind(fur)}
      {drawing.head(fur)}
      <Marking kind={traits.marking} fur={fur} eyeY={drawing.eyeY} eyeGap={drawing.eyeGap} />
      {drawing.front(fur)}
      <Eyes kind={traits.eyes} y={drawing.eyeY} gap={drawing.eyeGap} ink={fur.ink} />
    </>
  );
}

/** Draws the left half and its mirror image. */
function Both({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <g transform="matrix(-1 0 0 1 64 0)">{children}</g>
    </>
  );
}

const smile = (fur: Fur, y: number, width = 3.2) => (
  <path
    d={`M${32 - width * 2} ${y}q${width} 3.4 ${width * 2} 0q${width} 3.4 ${width * 2} 0`}
    fill="none"
    stroke={fur.ink}
    strokeWidth="1.7"
    strokeLinecap="round"
  />
);

const drawings: Record<Species, Drawing> = {
  bear: {
    eyeY: 34,
    eyeGap: 8,
    behind: (fur) => (
      <Both>
        <circle cx="17" cy="23" r="7.5" fill={fur.body} />
        <circle cx="17.5" cy="23.5" r="3.8" fill={fur.light} />
      </Both>
    ),
    head: (fur) => <ellipse cx="32" cy="37.5" rx="19" ry="17" fill={fur.body} />,
    front: (fur) => (
      <>
        <ellipse cx="32" cy="44" rx="9" ry="7" fill={fur.light} />
        <ellipse cx="32" cy="41.2" rx="3.4" ry="2.4" fill={fur.ink} />
        {smile(fur, 45.5, 2)}
      </>
    ),
  },
  cat: {
    eyeY: 36,
    eyeGap: 8.5,
    behind: (fur) => (
      <Both>
        <path d="M14 33 14.5 14q.2-2 2-1L31 23Z" fill={fur.body} />
        <path d="M17.5 27 17.8 18.5 24 23Z" fill={fur.light} />
      </Both>
    ),
    head: (fur) => <ellipse cx="32" cy="38" rx="19" ry="15.5" fill={fur.body} />,
    front: (fur) => (
      <>
        <path d="M29.8 41.5h4.4L32 44Z" fill={fur.ink} stroke={fur.ink} strokeWidth="1.4" strokeLinejoin="round" />
        {smile(fur, 45.5, 2.2)}
        <Both>
          <path
            d="M18 43 8.5 41.5M18 46 9.5 47.5"
            stroke={fur.ink}
            strokeWidth="1.3"
            strokeLinecap="round"
            opacity="0.6"
          />
        </Both>
      </>
    ),
  },
  fox: {
    eyeY: 35,
    eyeGap: 8,
    behind: (fur) => (
      <Both>
        <path d="M11.5 32 12 10.5q.3-2 2-.8L30 24Z" fill={fur.body} />
        <path d="M15.5 25 15.8 16.5 22 22Z" fill={fur.ink} />
      </Both>
    ),
    head: (fur) => (
      <>
        <path d="M11 31q21-17 42 0q-1 12-21 25Q12 43 11 31Z" fill={fur.body} />
        <Both>
          <path d="M11 31q12 3 21 17v8Q12 43 11 31Z" fill={fur.light} />
        </Both>
      </>
    ),
    front: (fur) => <ellipse cx="32" cy="53.5" rx="3.6" ry="2.8" fill={fur.ink} />,
  },
  rabbit: {
    eyeY: 38,
    eyeGap: 7,
    behind: (fur) => (
      <Both>
        <g transform="rotate(-9 24 22)">
          <ellipse cx="24" cy="18" rx="5.8" ry="15" fill={fur.body} />
          <ellipse cx="24" cy="18" rx="2.8" ry="11" fill={fur.light} />
        </g>
      </Both>
    ),
    head: (fur) => <ellipse cx="32" cy="42" rx="17" ry="15" fill={fur.body} />,
    front: (fur) => (
      <>
        <ellipse cx="32" cy="47.5" rx="7" ry="5" fill={fur.light} />
        <rect x="29.6" y="48" width="4.8" height="5" rx="1" fill="#fff" />
        <ellipse cx="32" cy="44.8" rx="2.6" ry="1.9" fill={fur.ink} />
      </>
    ),
  },
  owl: {
    eyeY: 33,
    eyeGap: 8.5,
    behind: (fur) => (
      <Both>
        <path d="M13 30 12.5 14q9 1.5 15 9Z" fill={fur.deep} />
      </Both>
    ),
    head: (fur) => (
      <>
        <path d="M12 34q0-16 20-16t20 16v14q0 14-20 14T12 48Z" fill={fur.body} />
        <path d="M20 50q12 8 24 0v6q-12 9-24 0Z" fill={fur.deep} opacity="0.5" />
        <Both>
          <circle cx="23.5" cy="33" r="9.6" fill={fur.light} />
        </Both>
      </>
    ),
    front: () => (
      <path d="M29 38.5q3-2.6 6 0L32 45Z" fill="#e98a15" stroke="#e98a15" strokeWidth="1.4" strokeLinejoin="round" />
    ),
  },
  frog: {
    eyeY: 25,
    eyeGap: 11,
    behind: (fur) => (
      <Both>
        <circle cx="21" cy="25" r="9.5" fill={fur.body} />
        <circle cx="21" cy="25" r="6.2" fill="#fff" />
      </Both>
    ),
    head: (fur) => (
      <>
        <ellipse cx="32" cy="42" rx="22" ry="14.5" fill={fur.body} />
        <path d="M17 49q15 9 30 0q-4 8-15 8t-15-8Z" fill={fur.light} />
      </>
    ),
    front: (fur) => (
      <path d="M17 42.5q15 9.5 30 0" fill="none" stroke={fur.ink} strokeWidth="1.9" strokeLinecap="round" />
    ),
  },
  elephant: {
    eyeY: 33,
    eyeGap: 8,
    behind: (fur) => (
      <Both>
        <ellipse cx="13" cy="35" rx="11.5" ry="14.5" fill={fur.deep} />
        <ellipse cx="13.5" cy="35.5" rx="7.5" ry="10" fill={fur.light} />
      </Both>
    ),
    head: (fur) => <ellipse cx="32" cy="34" rx="16" ry="16.5" fill={fur.body} />,
    front: (fur) => (
      <>
        <path d="M26.5 39h11v14q0 6-6 7-4.5.6-6.5-1.8" fill={fur.body} />
        <path
          d="M26.5 40v11q0 5-2.5 6M37.5 40v13q0 7-8 7.5M29 46.5h6M29 51h6"
          fill="none"
          stroke={fur.ink}
          strokeWidth="1.4"
          strokeLinecap="round"
          opacity="0.5"
        />
      </>
    ),
  },
  lion: {
    eyeY: 34.5,
    eyeGap: 7,
    behind: (fur) => (
      <>
        {Array.from({ length: 12 }, (_, index) => (
          <circle
            // The petals of the mane never change their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: a fixed ring
            key={index}
            cx={32 + 17 * Math.cos((index * Math.PI) / 6)}
            cy={38 + 17 * Math.sin((index * Math.PI) / 6)}
            r="7.2"
            fill={fur.deep}
          />
        ))}
        <circle cx="32" cy="38" r="18" fill={fur.deep} />
      </>
    ),
    head: (fur) => (
      <>
        <Both>
          <circle cx="20.5" cy="26.5" r="4.5" fill={fur.body} />
        </Both>
        <ellipse cx="32" cy="38.5" rx="14.5" ry="14" fill={fur.body} />
      </>
    ),
    front: (fur) => (
      <>
        <ellipse cx="32" cy="44.5" rx="7" ry="5.2" fill={fur.light} />
        <path d="M29.2 41h5.6L32 44.2Z" fill={fur.ink} stroke={fur.ink} strokeWidth="1.3" strokeLinejoin="round" />
        {smile(fur, 45.4, 2)}
      </>
    ),
  },
  penguin: {
    eyeY: 34,
    eyeGap: 7.5,
    behind: (fur) => <path d="M30 16q2-7 7-5-3 1-3 5Z" fill={fur.ink} />,
    head: (fur) => (
      <>
        <path d="M13 36q0-21 19-21t19 21v28H13Z" fill={fur.ink} />
        <path d="M18 39q-1-12 7-12 5 0 7 5 2-5 7-5 8 0 7 12 0 8-2 25H20q-2-17-2-25Z" fill={fur.light} />
      </>
    ),
    front: (fur) => (
      <path d="M26.5 40.5q5.5-4 11 0L32 46Z" fill="#f09a1a" stroke={fur.ink} strokeWidth="0.4" strokeLinejoin="round" />
    ),
  },
  giraffe: {
    eyeY: 31,
    eyeGap: 9.5,
    behind: (fur) => (
      <Both>
        <path d="M25.5 22 24.5 12" stroke={fur.deep} strokeWidth="3.4" strokeLinecap="round" />
        <circle cx="24.4" cy="10.6" r="3.4" fill={fur.ink} />
        <path d="M19 27Q9 19 6 25q2 8 13 7Z" fill={fur.body} />
      </Both>
    ),
    head: (fur) => (
      <>
        <path d="M18 29q0-11 14-11t14 11l-3 22q-1 9-11 9t-11-9Z" fill={fur.body} />
        <path d="M29 18.5q3-1 6 .2l1.5 6-4.5 3-4.4-3Z" fill={fur.deep} />
      </>
    ),
    front: (fur) => (
      <>
        <ellipse cx="32" cy="50" rx="12.5" ry="9.5" fill={fur.light} />
        <Both>
          <circle cx="28" cy="47.5" r="1.5" fill={fur.ink} />
        </Both>
        <path d="M27 53.5q5 3.4 10 0" fill="none" stroke={fur.ink} strokeWidth="1.7" strokeLinecap="round" />
      </>
    ),
  },
  koala: {
    eyeY: 35,
    eyeGap: 9.5,
    behind: (fur) => (
      <Both>
        <circle cx="13.5" cy="27" r="10.5" fill={fur.body} />
        <circle cx="14" cy="27.5" r="6.4" fill={fur.light} />
      </Both>
    ),
    head: (fur) => <ellipse cx="32" cy="38" rx="18" ry="16.5" fill={fur.body} />,
    front: (fur) => (
      <>
        <ellipse cx="32" cy="40.5" rx="4.6" ry="6.6" fill={fur.ink} />
        <ellipse cx="30.6" cy="37.6" rx="1.3" ry="1.8" fill="#fff" opacity="0.35" />
        <path d="M28.5 49.5q3.5 2 7 0" fill="none" stroke={fur.ink} strokeWidth="1.7" strokeLinecap="round" />
      </>
    ),
  },
  octopus: {
    eyeY: 34,
    eyeGap: 8,
    behind: (fur) => (
      <Both>
        <path d="M18 42Q4 44 7 55q6 4 7-3 4-3 8-2Z" fill={fur.deep} />
      </Both>
    ),
    head: (fur) => (
      <path
        d="M14 33q0-20 18-20t18 20q0 8-3 13 1 12-4.5 12T37 50q-1.5 10-5 10t-5-10q0 8-5.5 8T17 46q-3-5-3-13Z"
        fill={fur.body}
      />
    ),
    front: (fur) => (
      <>
        <ellipse cx="24" cy="21" rx="4" ry="2.6" transform="rotate(-35 24 21)" fill={fur.light} opacity="0.8" />
        <path d="M28.5 41q3.5 3.6 7 0" fill="none" stroke={fur.ink} strokeWidth="1.9" strokeLinecap="round" />
      </>
    ),
  },
  hedgehog: {
    eyeY: 38,
    eyeGap: 7,
    behind: (fur) => (
      <path
        d="m32 8 4.5 7 7-4.5 1 8.5 8.5-1.5-2 8 8 2-5 6.5 6 5-8 3.5 3 7.5H9l3-7.5L4 39l6-5-5-6.5 8-2-2-8 8.5 1.5 1-8.5 7 4.5Z"
        fill={fur.deep}
        stroke={fur.deep}
        strokeWidth="2.5"
        strokeLinejoin="round"
      />
    ),
    head: (fur) => <path d="M15 42q0-15 10-15 5 0 7 4 2-4 7-4 10 0 10 15 0 15-17 15T15 42Z" fill={fur.light} />,
    front: (fur) => (
      <>
        <ellipse cx="32" cy="45.5" rx="3.8" ry="3" fill={fur.ink} />
        {smile(fur, 49.5, 2)}
      </>
    ),
  },
  chick: {
    eyeY: 34,
    eyeGap: 8.5,
    behind: (fur) => (
      <path
        d="M32 19q-6-4-4-9 4 1 4 5 0-6 4-8 3 6-1 12Z"
        fill={fur.deep}
        stroke={fur.deep}
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    ),
    head: (fur) => (
      <>
        <Both>
          <path d="M14 40Q4 41 5 50q6 2 11-3Z" fill={fur.deep} />
        </Both>
        <path d="M12 40q0-22 20-22t20 22q0 22-20 22T12 40Z" fill={fur.body} />
        <ellipse cx="32" cy="53" rx="12" ry="8" fill={fur.light} />
      </>
    ),
    front: () => (
      <path d="M27 39.5q5-3.6 10 0L32 45Z" fill="#ee7d1b" stroke="#ee7d1b" strokeWidth="1.4" strokeLinejoin="round" />
    ),
  },
};

import { Both, type Drawing, smile } from './drawing.tsx';

export const furredDrawings = {
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
  monkey: {
    eyeY: 35,
    eyeGap: 6.5,
    behind: (fur) => (
      <Both>
        <circle cx="12" cy="37" r="8" fill={fur.deep} />
        <circle cx="12.5" cy="37" r="4.5" fill={fur.light} />
      </Both>
    ),
    head: (fur) => (
      <>
        <path d="M13.5 37q0-20 18.5-20t18.5 20q0 18-18.5 18T13.5 37Z" fill={fur.deep} />
        <path d="M17.5 37q-1-10 7-10 5 0 7.5 4 2.5-4 7.5-4 8 0 7 10-1 16-14.5 16T17.5 37Z" fill={fur.light} />
      </>
    ),
    front: (fur) => (
      <>
        <Both>
          <circle cx="30.5" cy="41.5" r="1" fill={fur.ink} />
        </Both>
        <path d="M26 45.500q6 5 12 0" fill="none" stroke={fur.ink} strokeWidth="1.8" strokeLinecap="round" />
      </>
    ),
  },
  mouse: {
    eyeY: 37,
    eyeGap: 7.5,
    behind: (fur) => (
      <Both>
        <circle cx="16" cy="21" r="11.5" fill={fur.body} />
        <circle cx="16.5" cy="21.5" r="7.5" fill={fur.light} />
      </Both>
    ),
    head: (fur) => <path d="M16 36q0-13 16-13t16 13q0 9-16 19Q16 45 16 36Z" fill={fur.body} />,
    front: (fur) => (
      <>
        <circle cx="32" cy="53" r="3.2" fill={fur.ink} />
        <Both>
          <path
            d="M26 49 16 47.500M26 51.5 17.5 54"
            stroke={fur.ink}
            strokeWidth="1.2"
            strokeLinecap="round"
            opacity="0.6"
          />
        </Both>
      </>
    ),
  },
} satisfies Record<string, Drawing>;

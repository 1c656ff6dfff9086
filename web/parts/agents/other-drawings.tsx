import { Both, type Drawing } from './drawing.tsx';

export const otherDrawings = {
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
    markingY: 43,
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
  penguin: {
    eyeY: 34,
    eyeGap: 7.5,
    behind: (fur) => <path d="M30 16q2-7 7-5-3 1-3 5Z" fill={fur.deep} />,
    head: (fur) => (
      <>
        <path d="M13 36q0-21 19-21t19 21v38H13Z" fill={fur.deep} />
        <path d="M18 39q-1-12 7-12 5 0 7 5 2-5 7-5 8 0 7 12 0 8-2 35H20q-2-27-2-35Z" fill={fur.light} />
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
  pig: {
    eyeY: 34,
    eyeGap: 9,
    behind: (fur) => (
      <Both>
        <path d="M15 33 11 18q-.2-2.5 2.5-2 9 2 13 8Z" fill={fur.deep} />
      </Both>
    ),
    head: (fur) => <ellipse cx="32" cy="38" rx="19" ry="17" fill={fur.body} />,
    front: (fur) => (
      <>
        <ellipse cx="32" cy="43" rx="8" ry="5.8" fill={fur.light} />
        <Both>
          <ellipse cx="29.2" cy="43" rx="1.5" ry="2.2" fill={fur.ink} />
        </Both>
        <path d="M28.5 51q3.5 2 7 0" fill="none" stroke={fur.ink} strokeWidth="1.7" strokeLinecap="round" />
      </>
    ),
  },
  whale: {
    eyeY: 39,
    eyeGap: 13,
    behind: (fur) => (
      <path
        d="M32 22v-6M32 16q-2-6-8-5M32 16q2-6 8-5"
        fill="none"
        stroke={fur.deep}
        strokeWidth="2.8"
        strokeLinecap="round"
      />
    ),
    head: (fur) => (
      <>
        <path d="M8 42q0-21 24-21t24 21q0 18-24 18T8 42Z" fill={fur.body} />
        <path d="M11 47q21 8 42 0-4 13-21 13T11 47Z" fill={fur.light} />
        <path d="M24 51.500v6M32 52.500v7M40 51.500v6" stroke={fur.body} strokeWidth="1.6" strokeLinecap="round" />
      </>
    ),
    front: (fur) => (
      <path d="M27 42.500q5 3.5 10 0" fill="none" stroke={fur.ink} strokeWidth="1.8" strokeLinecap="round" />
    ),
  },
} satisfies Record<string, Drawing>;

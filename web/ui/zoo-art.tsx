/** Paw prints leading out through an open gate. */
export function EmptyEnclosure() {
  return (
    <svg viewBox="0 0 200 110" width="200" height="110" aria-hidden focusable="false">
      <g stroke="currentColor" strokeWidth="3" strokeLinecap="round" fill="none" opacity="0.75">
        <path d="M14 88V40M34 88V36M54 88V34M8 50q26-6 52-6M8 74h52" />
        <path d="M146 88V34M166 88V36M186 88V40M140 44q26 0 52 6M140 74h52" />
      </g>
      <path d="M4 90h192" stroke="var(--line-strong)" strokeWidth="2" strokeLinecap="round" />
      <g fill="var(--accent)">
        <Paw x={76} y={78} turn={10} />
        <Paw x={98} y={62} turn={24} />
        <Paw x={112} y={38} turn={8} />
        <Paw x={134} y={18} turn={30} />
      </g>
    </svg>
  );
}

function Paw({ x, y, turn }: { x: number; y: number; turn: number }) {
  return (
    <g transform={`translate(${x} ${y}) rotate(${turn}) scale(0.62)`}>
      <path d="M0 4c-6 0-9 5-7 8 2 2.5 5 .5 7 .5s5 2 7-.5c2-3-1-8-7-8Z" />
      <circle cx="-8" cy="0" r="2.6" />
      <circle cx="-3" cy="-4" r="2.9" />
      <circle cx="3" cy="-4" r="2.9" />
      <circle cx="8" cy="0" r="2.6" />
    </g>
  );
}

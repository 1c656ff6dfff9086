import type { AvatarTraits } from './avatar-traits.ts';

export interface Fur {
  body: string;
  deep: string;
  light: string;
  ink: string;
}

const lightness: Record<AvatarTraits['tone'], { body: number; deep: number; strength: number }> = {
  light: { body: 0.77, deep: 0.63, strength: 0.115 },
  middle: { body: 0.68, deep: 0.53, strength: 0.14 },
  dark: { body: 0.56, deep: 0.42, strength: 0.12 },
};

export function furOf({ hue, tone }: Pick<AvatarTraits, 'hue' | 'tone'>): Fur {
  const { body, deep, strength } = lightness[tone];
  return {
    body: `oklch(${body} ${strength} ${hue})`,
    deep: `oklch(${deep} ${strength} ${hue})`,
    light: `oklch(0.94 0.035 ${hue})`,
    ink: `oklch(0.26 0.04 ${hue})`,
  };
}

interface EyesProps {
  kind: AvatarTraits['eyes'];
  y: number;
  /** From the middle of the face. */
  gap: number;
  ink: string;
}

export function Eyes({ kind, y, gap, ink }: EyesProps) {
  return [32 - gap, 32 + gap].map((x) => {
    switch (kind) {
      case 'dot':
        return <circle key={x} cx={x} cy={y} r="2.5" fill={ink} />;
      case 'bright':
        return (
          <g key={x}>
            <circle cx={x} cy={y} r="3.3" fill={ink} />
            <circle cx={x + 1.1} cy={y - 1.2} r="1.15" fill="#fff" />
          </g>
        );
      case 'sleepy':
        return (
          <path
            key={x}
            d={`M${x - 3.2} ${y}q3.2 3.2 6.4 0`}
            fill="none"
            stroke={ink}
            strokeWidth="2"
            strokeLinecap="round"
          />
        );
      case 'happy':
        return (
          <path
            key={x}
            d={`M${x - 3} ${y + 1.2}q3-4.6 6 0`}
            fill="none"
            stroke={ink}
            strokeWidth="2"
            strokeLinecap="round"
          />
        );
    }
    return null;
  });
}

interface MarkingProps {
  kind: AvatarTraits['marking'];
  fur: Fur;
  eyeY: number;
  eyeGap: number;
}

export function Marking({ kind, fur, eyeY, eyeGap }: MarkingProps) {
  switch (kind) {
    case 'none':
      return null;
    case 'spots':
      return (
        <g fill={fur.deep} opacity="0.55">
          <circle cx="28" cy={eyeY - 8.5} r="1.7" />
          <circle cx="34.5" cy={eyeY - 10} r="2.1" />
          <circle cx="38" cy={eyeY - 6.5} r="1.4" />
        </g>
      );
    case 'stripes':
      return (
        <g stroke={fur.deep} strokeWidth="2.3" strokeLinecap="round" opacity="0.75">
          <path d={`M32 ${eyeY - 12}v5.5M26.5 ${eyeY - 11}l.6 4M37.5 ${eyeY - 11}l-.6 4`} />
        </g>
      );
    case 'blush':
      return (
        <g fill="oklch(0.7 0.17 20)" opacity="0.45">
          <ellipse cx={32 - eyeGap - 2.5} cy={eyeY + 6} rx="3" ry="2" />
          <ellipse cx={32 + eyeGap + 2.5} cy={eyeY + 6} rx="3" ry="2" />
        </g>
      );
  }
}

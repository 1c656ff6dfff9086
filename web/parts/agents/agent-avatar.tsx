import { memo } from 'react';
import { classes } from '../../ui/classes.ts';
import { useAppearanceSeed } from './appearance.ts';
import { type AvatarTraits, avatarTraits, type Species } from './avatar-traits.ts';
import { Eyes, furOf, Marking } from './creature-parts.tsx';
import type { Drawing } from './drawing.tsx';
import { furredDrawings } from './furred-drawings.tsx';
import { otherDrawings } from './other-drawings.tsx';

export interface AgentAvatarProps {
  /** The agent's id. It determines the creature, unless the agent has a seed of its own. */
  id: string;
  /** Draws a seed that is not saved yet. */
  seed?: string | null;
  /** In pixels. */
  size?: number;
  className?: string;
}

/** Decorates the agent's name; hidden from screen readers. */
export const AgentAvatar = memo(function AgentAvatar({ id, seed, size = 40, className }: AgentAvatarProps) {
  const saved = useAppearanceSeed(id);
  const traits = avatarTraits(seed === undefined ? saved : (seed ?? id));
  return (
    <svg
      viewBox="0 0 64 64"
      width={size}
      height={size}
      aria-hidden
      focusable="false"
      className={classes('block shrink-0 overflow-hidden rounded-[28%]', className)}
    >
      <rect width="64" height="64" fill={`oklch(0.87 0.075 ${traits.groundHue})`} />
      <circle cx="32" cy="70" r="30" fill={`oklch(0.8 0.095 ${traits.groundHue})`} />
      <g transform={`rotate(${traits.tilt} 32 40)`}>
        <Creature traits={traits} />
      </g>
    </svg>
  );
});

const drawings: Record<Species, Drawing> = { ...furredDrawings, ...otherDrawings };

/** A head in a 64 × 64 view box. */
function Creature({ traits }: { traits: AvatarTraits }) {
  const fur = furOf(traits);
  const drawing = drawings[traits.species];
  return (
    <>
      {drawing.behind(fur)}
      {drawing.head(fur)}
      <Marking kind={traits.marking} fur={fur} eyeY={drawing.markingY ?? drawing.eyeY} eyeGap={drawing.eyeGap} />
      {drawing.front(fur)}
      <Eyes kind={traits.eyes} y={drawing.eyeY} gap={drawing.eyeGap} ink={fur.ink} />
    </>
  );
}

import { memo } from 'react';
import { classes } from '../../ui/classes.ts';
import { avatarTraits } from './avatar-traits.ts';
import { Creature } from './creature.tsx';

export interface AgentAvatarProps {
  /** The agent's id: it alone decides what the creature looks like. */
  id: string;
  /** In pixels. */
  size?: number;
  className?: string;
}

/** Decoration beside the agent's name, so hidden from screen readers. */
export const AgentAvatar = memo(function AgentAvatar({ id, size = 40, className }: AgentAvatarProps) {
  const traits = avatarTraits(id);
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

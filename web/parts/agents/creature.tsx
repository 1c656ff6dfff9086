import type { AvatarTraits, Species } from './avatar-traits.ts';
import { Eyes, furOf, Marking } from './creature-parts.tsx';
import type { Drawing } from './drawing.tsx';
import { furredDrawings } from './furred-drawings.tsx';
import { otherDrawings } from './other-drawings.tsx';

const drawings: Record<Species, Drawing> = { ...furredDrawings, ...otherDrawings };

/** A head in a field of 64 × 64. */
export function Creature({ traits }: { traits: AvatarTraits }) {
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

import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';

/** A button in a chat's header that shows what holds and opens what can be chosen. */
export const switchClass = classes(
  buttonClass({ variant: 'ghost' }),
  'min-w-0 shrink! px-2! text-text! data-popup-open:bg-pressed',
);

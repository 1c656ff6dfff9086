import { approvalControls } from './approval-controls.ts';
import { callerControls } from './caller-controls.ts';
import type { Control } from './control.ts';
import { doorControls } from './door-controls.ts';
import { limitControls } from './limit-controls.ts';
import { logControls } from './log-controls.ts';
import { networkControls } from './network-controls.ts';
import { scopeControls } from './scope-controls.ts';
import { secretControls } from './secret-controls.ts';
import { trustControls } from './trust-controls.ts';

/** Every control that `npm run proof -- controls` switches off. */
export const controls: readonly Control[] = [
  ...callerControls,
  ...doorControls,
  ...scopeControls,
  ...trustControls,
  ...secretControls,
  ...networkControls,
  ...approvalControls,
  ...logControls,
  ...limitControls,
];

import { workLimits } from '../../../src/team/work/work.ts';

export function fitsLabels(labels: readonly string[]): boolean {
  return labels.length <= workLimits.labels && labels.every((label) => label.length <= workLimits.label);
}

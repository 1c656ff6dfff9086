import { untilAborted } from '../base/abort.ts';
import { checkBudget } from './budget.ts';
import type { RunState } from './run-state.ts';

/** Uses the model that a component set, if it changed. Throws INVALID_ARGUMENTS, and NOT_CONFIGURED for a model without a key or price. */
export async function chooseModel(run: RunState): Promise<void> {
  const wanted = run.com.getModel();
  if (wanted === run.wantedModel) return;
  const model = wanted === undefined ? run.ownModel : await untilAborted(run.signal, () => run.resolveModel(wanted));
  checkBudget({}, { limitsCost: run.purse.limitsCost }, model);
  run.wantedModel = wanted;
  run.switchTo(model);
}

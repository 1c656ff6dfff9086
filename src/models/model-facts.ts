import { z } from 'zod';
import { ModelFact } from './language-models.ts';
import facts from './model-facts.json' with { type: 'json' };

/** What the makers of models published about them, by type of provider and model. It is for choosing, not for billing. */
export const ModelFacts = z.object({
  /** The day on which the facts were true. */
  asOf: z.iso.date(),
  models: z.record(z.string(), z.record(z.string(), ModelFact)),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

/** Returns the facts in `model-facts.json`. To update them, edit the file and its date. */
export function modelFacts(): ModelFacts {
  return facts;
}

import { useState } from 'react';
import { useTestProvider } from '../../api/provider-queries.ts';

/** Asks a model for a short answer before it is used. `onModel` is called with a model that has just answered. */
export function useAskedModel(onModel: (model: string) => Promise<void> | void) {
  const ask = useTestProvider();
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return {
    isAsking,
    /** Why the model did not answer. */
    failure: ask.data?.failure ?? null,
    /** Why it could not be asked, or not be used. */
    error,
    reset: () => {
      ask.reset();
      setError(null);
    },
    async use(provider: string, model: string) {
      if (isAsking) return;
      setIsAsking(true);
      setError(null);
      try {
        const { failure, answeredBy } = await ask.mutateAsync({ name: provider, model });
        if (!failure && answeredBy !== null) await onModel(answeredBy);
      } catch (thrown) {
        setError(thrown);
      }
      setIsAsking(false);
    },
  };
}

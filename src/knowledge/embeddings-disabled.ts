import { HubError } from '../base/hub-error.ts';

/** The caller asked for what is not set up. It is nobody's fault: an error of the input, so it is never escalated. */
export function embeddingsDisabled(): HubError {
  return new HubError(
    'INVALID_ARGUMENTS',
    'Search by meaning needs embeddings, and none are set up. Set [embedding] provider = "local" (or openai, ollama, openai-compatible) in the config, then run "zoo sync".',
    { details: { reason: 'embeddings_disabled' } },
  );
}

import { HubError } from '../base/hub-error.ts';

export function embeddingsDisabled(): HubError {
  return new HubError(
    'EMBEDDINGS_DISABLED',
    'Search by meaning needs embeddings, and none are set up. Set [embedding] provider = "local" (or openai, ollama, openai-compatible) in the config, then run "zoo sync".',
  );
}

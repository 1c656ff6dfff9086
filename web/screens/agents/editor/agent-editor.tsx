import { ApiError } from '../../../api/client.ts';
import { useAgent } from '../../../api/queries.ts';
import { ErrorState } from '../../../ui/error-state.tsx';
import { EditorSkeleton } from './editor-skeleton.tsx';
import { LoadedEditor } from './loaded-editor.tsx';
import { MissingAgent } from './missing-agent.tsx';

/** The editor of one agent. */
export function AgentEditor({ id, tab }: { id: string; tab: string }) {
  const agent = useAgent(id);
  const isMissing = agent.error instanceof ApiError && agent.error.isNotFound;
  // An agent that was deleted elsewhere stays on the screen: there may be unsaved work in it.
  if (agent.data) return <LoadedEditor agent={agent.data} tab={tab} isGone={isMissing} />;
  if (isMissing) return <MissingAgent id={id} />;
  if (agent.isError) {
    return (
      <ErrorState title="The agent could not be loaded" error={agent.error} onRetry={() => void agent.refetch()} />
    );
  }
  return <EditorSkeleton />;
}
